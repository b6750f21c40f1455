// Runs before the first paint, so that a dark page never flashes white.
(function () {
  var kept = null;
  try {
    kept = localStorage.getItem("loremark-scheme");
  } catch (ignored) {
    // Storage may be closed to us; then the system decides.
  }
  var dark =
    kept === "dark" || (kept !== "light" && window.matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();
