// A figure on the whole screen: + and − change its size, 0 fits it in, arrow keys move it, Escape closes.
const viewer = document.createElement("dialog");
viewer.className = "viewer";
viewer.innerHTML = `<div class="controls"><p></p>
<button type="button" data-key="-" aria-label="Smaller">−</button><output></output>
<button type="button" data-key="+" aria-label="Larger">+</button><button type="button" data-key="0">Fit</button>
<button type="button" data-key="Escape">Close</button></div><div class="stage" tabindex="0"></div>`;
document.body.append(viewer);
const stage = viewer.querySelector(".stage");
const LARGEST = 8;
let scale = 1;

function resize(to) {
  const picture = stage.firstElementChild;
  const ratio = picture.naturalWidth / picture.naturalHeight;
  scale = Math.min(LARGEST, Math.max(1, to));
  // Of the stage with its scroll bars, since they come and go.
  picture.style.width = `${scale * Math.min(stage.offsetWidth, stage.offsetHeight * ratio)}px`;
  viewer.querySelector("output").textContent = `${Math.round(100 * scale)} %`;
}

const KEYS = {
  "+": () => resize(scale * 1.5),
  "=": () => resize(scale * 1.5),
  "-": () => resize(scale / 1.5),
  0: () => resize(1),
  Escape: () => viewer.close(),
};
viewer.addEventListener("keydown", (event) => !event.ctrlKey && !event.metaKey && KEYS[event.key]?.());
viewer.addEventListener("click", (event) => KEYS[event.target.dataset.key]?.());
addEventListener("resize", () => viewer.open && resize(scale));

function enlarge(figure) {
  const picture = figure.querySelector("img").cloneNode();
  stage.replaceChildren(picture);
  const title = figure.querySelector("figcaption strong").textContent;
  viewer.querySelector("p").textContent = title;
  viewer.setAttribute("aria-label", title);
  viewer.showModal();
  resize(1);
  stage.focus();
}

function makeZoomable(figure) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "enlarge";
  button.textContent = "Enlarge";
  button.setAttribute("aria-label", `Enlarge: ${figure.querySelector("figcaption strong").textContent}`);
  button.addEventListener("click", () => enlarge(figure));
  const picture = figure.querySelector("img");
  picture.addEventListener("click", () => enlarge(figure));
  picture.after(button);
}
