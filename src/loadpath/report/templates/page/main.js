// The page comes to life.
const ready = () => { document.documentElement.dataset.ready = ""; };
if (typeof DecompressionStream === "undefined") {
  for (const place of places) place.textContent = "This chart needs a browser of 2023 or later.";
  return;
}
charts = JSON.parse(await unpacked(packed("charts")));
live = await woken();
if (charts.length) {
  if (document.getElementById("plotly")) {
    const program = document.createElement("script");
    program.textContent = await unpacked(packed("plotly"));
    document.head.append(program);
  }
  watch();
  if (["#all", "#paper"].includes(location.hash)) await drawAll();
}
ready();
