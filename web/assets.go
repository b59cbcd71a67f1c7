package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed static
var staticFiles embed.FS

// asset is one file of static under a name that changes with its content, so
// that it may be cached for ever.
type asset struct {
	served string // its name below /static/
	kind   string // media type
	tag    string // ETag
	body   []byte
}

// assets by their name in static, and by the name under which they are served.
var assets, servedAssets = loadAssets()

func loadAssets() (byName, byServed map[string]asset) {
	byName, byServed = map[string]asset{}, map[string]asset{}
	entries, err := staticFiles.ReadDir("static")
	if err != nil {
		panic("web: read embedded files: " + err.Error())
	}
	for _, entry := range entries {
		name := entry.Name()
		body, err := staticFiles.ReadFile("static/" + name)
		if err != nil {
			panic("web: read embedded file " + name + ": " + err.Error())
		}
		sum := sha256.Sum256(body)
		hash := hex.EncodeToString(sum[:6])
		ext := path.Ext(name)
		a := asset{
			served: strings.TrimSuffix(name, ext) + "." + hash + ext,
			kind:   mediaType(ext),
			tag:    `"` + hash + `"`,
			body:   body,
		}
		byName[name], byServed[a.served] = a, a
	}
	return byName, byServed
}

// mediaType does not depend on the tables of the machine for what we embed.
func mediaType(ext string) string {
	switch ext {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return mime.TypeByExtension(ext)
}

// assetURL is where a file of static is served.
func assetURL(name string) (string, error) {
	a, ok := assets[name]
	if !ok {
		return "", fmt.Errorf("no embedded file %s", name)
	}
	return "/static/" + a.served, nil
}

// serveAsset serves a file of static under its hashed name and no other.
func serveAsset(w http.ResponseWriter, r *http.Request) {
	a, ok := servedAssets[r.PathValue("name")]
	if !ok {
		Problem{Type: "unknown-path", Status: http.StatusNotFound, Detail: "no such file: load the page again"}.write(w)
		return
	}
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("ETag", a.tag)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.body))
}
