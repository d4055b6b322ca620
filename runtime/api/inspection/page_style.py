"""The look of an inspection's page, and what a click does."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --edge: #8883; --soft: #8882; --mark: #ffd54a66; --pin: #ffb30099; }
* { box-sizing: border-box; }
body { margin: 0; font: 14px/1.45 system-ui, sans-serif; }
header { padding: 1rem 1.25rem .5rem; }
h1 { font: 600 1.15rem ui-monospace, monospace; margin: 0; overflow-wrap: anywhere; }
header p { margin: .3rem 0 0; opacity: .75; }
.facts { display: flex; flex-wrap: wrap; gap: .75rem; padding: .5rem 1.25rem; align-items: flex-start; }
.facts > details { border: 1px solid var(--edge); border-radius: 6px; padding: .35rem .7rem; max-width: 100%;
  overflow-x: auto; }
summary { cursor: pointer; font-weight: 600; }
summary small { font-weight: 400; opacity: .7; }
table { border-collapse: collapse; margin: .35rem 0; }
td, th { padding: .1rem .9rem .1rem 0; vertical-align: top; font-size: 13px; overflow-wrap: break-word; }
th { text-align: left; font-weight: 500; opacity: .65; }
th, td:first-child { white-space: nowrap; }
.facts p { margin: .2rem 0 .35rem; font-size: 13px; opacity: .7; }
caption { padding-top: .4rem; text-align: left; font-weight: 600; }
td a { color: inherit; }
main { display: flex; gap: .5rem; padding: .5rem 1.25rem 1rem; align-items: flex-start; overflow-x: auto; }
main > details { border: 1px solid var(--edge); border-radius: 6px; flex: none; overflow: hidden; }
main > details[open] { flex: 1 0 24rem; max-width: 60rem; }
main summary { padding: .35rem .7rem; background: var(--soft); white-space: nowrap; }
pre { margin: 0; max-height: 78vh; min-height: 12rem; overflow: auto; padding: .3rem 0;
  font: 12px/1.5 ui-monospace, Menlo, Consolas, monospace; }
.line { display: block; width: max-content; min-width: 100%; padding: 0 .7rem 0 0; min-height: 1.5em;
  scroll-margin: 30vh; }
.number { display: inline-block; width: 3.2em; padding-right: .9em; text-align: right; opacity: .5; color: inherit;
  text-decoration: none; user-select: none; }
a.number:hover { opacity: 1; text-decoration: underline; }
.linked { cursor: pointer; }
.none { opacity: .6; }
.jumps { float: right; padding-left: 1.5rem; user-select: none; visibility: hidden; }
.jumps a { color: inherit; opacity: .7; text-decoration: none; padding-left: .5em; }
.line:hover .jumps { visibility: visible; }
"""
# Without it all is there; with it a click brings what became of a line into sight.
SCRIPT = """
document.querySelectorAll("main .linked").forEach(line => line.addEventListener("click", event => {
  if (event.target.closest("a")) return;
  const name = [...line.classList].find(c => /^l[0-9]+$/.test(c));
  document.querySelectorAll("main pre").forEach(column => {
    const first = column.querySelector("." + name);
    if (first && column !== line.parentElement) column.scrollTop += first.getBoundingClientRect().top
      - column.getBoundingClientRect().top - column.clientHeight / 3;
  });
  history.replaceState(null, "", location.href.split("#")[0] + "#" + name.replace("l", "source-"));
  document.querySelectorAll(".pinned").forEach(old => old.classList.remove("pinned"));
  document.querySelectorAll("." + name).forEach(one => one.classList.add("pinned"));
}));
"""
