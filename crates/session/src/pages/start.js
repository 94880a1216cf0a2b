// Begins a page that simulates by itself: its program and that of its worker are in it as the module is (pages/dense.rs).

/** Puts a text into the page as a script of this kind, which runs if browsers run that kind. */
function addScript(id, type, text) {
  const script = Object.assign(document.createElement("script"), { id, type, textContent: text });
  document.body.append(script);
}

const element = document.getElementById("programs");
const programs = JSON.parse(new TextDecoder().decode(unpacked(bytesOfText(element.textContent))));
element.remove();
addScript("worker", "text/plain", programs.worker);
addScript("program", "module", programs.page);
