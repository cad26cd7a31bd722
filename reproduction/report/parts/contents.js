// The contents mark the section that is being read, and open the list that it is in.
const contents = document.querySelector("nav > details");
const links = [...contents.querySelectorAll("a")];
const places = links.map((link) => document.getElementById(link.hash.slice(1)));
const here = document.getElementById("here");
const narrow = matchMedia("(max-width: 60rem)");
let current = null;
let openedHere = null;

function markCurrent() {
  const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
  const line = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) + 40; // where links lead
  let found = links[0];
  places.forEach((place, i) => place && place.getBoundingClientRect().top <= line && (found = links[i]));
  if (atEnd && scrollY > 0) found = links.at(-1);
  if (found === current) return;
  current?.removeAttribute("aria-current");
  current = found;
  current.setAttribute("aria-current", "location");
  here.textContent = current.textContent;
  const group = current.closest(".group");
  if (openedHere && openedHere !== group) openedHere.open = false;
  openedHere = group && !group.open ? group : openedHere === group ? group : null;
  if (group) group.open = true;
  if (!narrow.matches) keepInSight(current);
}

function keepInSight(link) {
  const [at, room] = [link.getBoundingClientRect(), contents.getBoundingClientRect()];
  if (at.top < room.top + 40 || at.bottom > room.bottom - 40) contents.scrollTop += at.top - room.top - room.height / 3;
}

let waiting = false;
addEventListener("scroll", () => {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    markCurrent();
  });
}, { passive: true });
markCurrent();

// On a phone the contents are a bar at the top, closed until needed.
if (narrow.matches) contents.open = false;
contents.addEventListener("click", (event) => narrow.matches && event.target.closest("a") && (contents.open = false));
