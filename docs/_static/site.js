// Entries of the reference that have moved to a page of their own: who comes by an old link is led on.
function leadOn() {
  const there = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (there && there.dataset.moved) location.replace(there.dataset.moved + location.hash);
}

// What scrolls sideways can be reached by the keyboard, and only what does.
function reachable() {
  for (const box of document.querySelectorAll("article pre, article .table-wrapper, article div.output, article div.output > div, article div.math")) {
    if (box.scrollWidth > box.clientWidth) box.setAttribute("tabindex", "0");
    else box.removeAttribute("tabindex");
  }
}

addEventListener("hashchange", leadOn);
addEventListener("resize", reachable);
addEventListener("load", reachable);
document.addEventListener("DOMContentLoaded", () => {
  leadOn();
  reachable();
  document.querySelector("aside.sidebar-drawer")?.setAttribute("aria-label", "Pages");
  document.querySelector("aside.toc-drawer")?.setAttribute("aria-label", "On this page");
});
