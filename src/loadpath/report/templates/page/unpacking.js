// What the page carries compressed: charts, Plotly, and what it computes with.
const packed = (id) => document.getElementById(id)?.textContent.trim();
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

async function unpacked(text) {
  return new Response(new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

// Numbers of full precision, little-endian as they are in memory.
const floats = (text) => new Float64Array(bytesOf(text).buffer);
