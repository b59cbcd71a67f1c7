# A static binary, and nothing else beside it but the certificates it needs to
# speak TLS and the licence. A test reads this file (cli/dockerfile_test.go).
FROM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /out/blipd . \
 && mkdir -p /out/data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /src/LICENSE /usr/share/doc/blipd/LICENSE
COPY --from=build /out/blipd /usr/local/bin/blipd
COPY --from=build --chown=65532:65532 /out/data /var/lib/blipd
COPY --from=build --chown=65532:65532 --chmod=1777 /out/data /tmp
USER 65532:65532
VOLUME ["/var/lib/blipd"]
EXPOSE 9464
ENTRYPOINT ["/usr/local/bin/blipd"]
CMD ["run", "--config.file", "/etc/blipd/blipd.yaml"]
