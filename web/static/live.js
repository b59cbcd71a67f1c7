"use strict";
// Keeps an open page current: asks for it again and puts in the parts that
// changed. Without this script the page refreshes as a whole.
(() => {
  const pause = document.getElementById("pause");
  const status = document.getElementById("status");
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const seconds = Number(document.body.dataset.refresh) || 5;
  let paused = false, asking = false, timer = 0, shownAt = new Date();

  const parts = (root) => [...root.querySelectorAll("[data-live]")];
  const say = (text) => { if (status.textContent !== text) status.textContent = text; };

  // What the reader opened, selected or has in focus stays as it is.
  const keep = (from, to) => {
    for (const open of from.querySelectorAll("details[open][id]")) {
      const same = to.querySelector("#" + CSS.escape(open.id));
      if (same) same.open = true;
    }
  };
  const selectedIn = (part) => {
    const s = getSelection();
    return s && !s.isCollapsed && s.containsNode(part, true);
  };
  const replace = (old, fresh) => {
    const focus = old.contains(document.activeElement) ? document.activeElement.id : "";
    old.replaceWith(fresh);
    if (focus) document.getElementById(focus)?.focus({ preventScroll: true });
  };

  const show = (next) => {
    const main = document.querySelector("main"), fresh = next.querySelector("main");
    const src = (doc) => doc.querySelector("script[src]")?.getAttribute("src");
    if (!fresh || src(next) !== src(document)) { location.reload(); return; }
    document.adoptNode(fresh);
    keep(main, fresh);
    const olds = parts(main), news = parts(fresh);
    if (olds.length !== news.length || olds.some((o, i) => o.id !== news[i].id)) {
      replace(main, fresh);
      return;
    }
    olds.forEach((old, i) => {
      if (!old.isEqualNode(news[i]) && !selectedIn(old)) replace(old, news[i]);
    });
  };

  const ask = async () => {
    if (paused || asking || document.hidden) return;
    asking = true;
    try {
      const answer = await fetch(location.pathname, { cache: "no-store", signal: AbortSignal.timeout(10000) });
      if (!answer.ok) throw new Error(String(answer.status));
      const text = await answer.text();
      if (paused) return;
      show(new DOMParser().parseFromString(text, "text/html"));
      shownAt = new Date();
      say("Live");
    } catch {
      say("No answer. Shown is what was known at " + shownAt.toLocaleTimeString());
    } finally {
      asking = false;
      document.body.classList.toggle("stale", status.textContent !== "Live");
    }
  };

  // Who asked for less motion gets changes three times as seldom.
  const run = () => {
    clearInterval(timer);
    timer = setInterval(ask, seconds * (calm.matches ? 3 : 1) * 1000);
  };
  pause.hidden = false;
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.textContent = paused ? "Resume updates" : "Pause updates";
    document.body.classList.toggle("stale", paused);
    say(paused ? "Paused" : "Live");
    ask();
  });
  document.addEventListener("visibilitychange", ask);
  calm.addEventListener("change", run);
  say("Live");
  run();
})();
