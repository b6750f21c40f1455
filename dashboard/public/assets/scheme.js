// Runs before the first paint, so a dark page never flashes white.
(function () {
  var saved = null;
  try {
    saved = localStorage.getItem("loremark-scheme");
  } catch (ignored) {
    // Storage is blocked: use the system setting.
  }
  var dark =
    saved === "dark" || (saved !== "light" && window.matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();
