// Runs before anything is painted, so that a page that was chosen to be dark is never light for a moment.
const chosen = localStorage.getItem("theme");
if (chosen !== null) document.documentElement.dataset.theme = chosen;
