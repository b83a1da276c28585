// Small things that need no library: a slider over pictures, pictures enlarged. All work from disk.
(() => {
  "use strict";

  // Search results show an excerpt of each page, which a browser may not fetch from disk.
  if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") {
    DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
  }

  function makeSlider(box, index) {
    const figures = [...box.querySelectorAll("figure")];
    const labels = box.dataset.labels.split("|");
    const control = document.createElement("div");
    control.className = "slider-control";
    control.innerHTML = `<label for="slider-${index}"></label><input id="slider-${index}" type="range" min="0" step="1"><output></output>`;
    const [label, input, output] = control.children;
    label.textContent = box.dataset.name;
    input.max = figures.length - 1;
    input.value = 0;
    const show = () => {
      figures.forEach((figure, step) => figure.classList.toggle("shown", step === Number(input.value)));
      output.textContent = labels[input.value];
      input.setAttribute("aria-valuetext", `${box.dataset.name} ${labels[input.value]}`);
    };
    input.addEventListener("input", show);
    box.prepend(control);
    box.classList.add("ready");
    show();
  }

  function makeZoomable(images) {
    const dialog = document.createElement("dialog");
    dialog.className = "zoom";
    dialog.addEventListener("click", () => dialog.close());
    document.body.append(dialog);
    images.forEach((image) => {
      const tell = () => image.style.setProperty("--own-width", `${image.naturalWidth}px`); // on a phone it is drawn no larger
      if (image.complete) tell();
      else image.addEventListener("load", tell);
      image.addEventListener("click", () => {
        const copy = image.cloneNode();
        copy.removeAttribute("style");
        copy.removeAttribute("width");
        dialog.replaceChildren(copy);
        dialog.showModal();
      });
    });
  }

  // The arrows of the sidebar are pictures; a screen reader needs their names.
  function nameArrows() {
    document.querySelectorAll("nav details > summary").forEach((arrow) => {
      const page = arrow.closest("li")?.querySelector("a");
      if (!arrow.textContent.trim()) arrow.setAttribute("aria-label", `Pages below ${page ? page.textContent.trim() : "this one"}`);
    });
  }

  document.addEventListener("DOMContentLoaded", () => {
    nameArrows();
    document.querySelectorAll(".bd-article div.slider").forEach(makeSlider);
    makeZoomable(document.querySelectorAll(".bd-article figure img, .bd-article .cell_output img"));
  });
})();
