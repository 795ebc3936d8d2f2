// The pointer on a chart moves the robot to that instant; on a row of a table it shows the joint in the picture and its
// curve; on a joint of the picture, its rows and curves.
function linkRows() {
  for (const row of document.querySelectorAll("tbody tr:not([data-joint])")) {
    const found = [...row.querySelectorAll("td.name")].map((cell) => jointOf(live.model, cell.textContent)).find((j) => j >= 0);
    row.dataset.joint = found ?? "none";
    if (found === undefined) continue;
    row.addEventListener("pointerenter", () => live.mark(found));
    row.addEventListener("pointerleave", () => live.mark(-1));
  }
}

function linkCharts() {
  for (const place of places) {
    place.addEventListener("drawn", () => {
      if (place.space) { place.space.onpoint = (k) => live.mark(k < 0 ? -1 : robotOf(chartOf(place)).numbers[k]); return; }
      if (place.linked || !chartOf(place).live) return;
      place.linked = true;
      place.on("plotly_hover", ({ points: [{ x }] }) => live.goTo(live.at(x)));
      live.marks();
    });
  }
}
