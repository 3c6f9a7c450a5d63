/* What the theme leaves out for people who use keys or a screen reader. */

document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "All pages");
document.querySelector(".toc-drawer")?.setAttribute("aria-label", "On this page");
for (const caption of document.querySelectorAll(".caption[role=heading]")) caption.setAttribute("aria-level", "2");

/* What has to be scrolled sideways can be reached by keys. */
function markScrolled() {
  for (const area of document.querySelectorAll("pre, .table-wrapper")) {
    if (area.scrollWidth > area.clientWidth) area.tabIndex = 0;
    else area.removeAttribute("tabindex");
  }
}

addEventListener("resize", markScrolled);
markScrolled();
