// Says why nothing happens where a browser cannot read the script of a page; each browser can read this.
onerror = function () {
  var told = document.getElementById("cannot");
  if (!told || document.documentElement.getAttribute("data-ready")) return;
  told.removeAttribute("hidden");
  told.textContent =
    "This page cannot start in this browser. " +
    "It needs Chrome or Edge 110, Firefox 115 or Safari 16.4, or a newer one.";
};
