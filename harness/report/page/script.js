// A page says all it has to say without this: it copies, chooses colours, and opens what is folded for print.
(() => {
  "use strict";
  const root = document.documentElement;
  const theme = document.getElementById("theme");
  theme.hidden = false;
  const dark = () => root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
  const name = () => { theme.textContent = dark() ? "Light colours" : "Dark colours"; };
  theme.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    name();
  });
  name();
  const copied = document.getElementById("copied");
  const select = (element) => getSelection().selectAllChildren(element);
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const text = document.getElementById(button.dataset.copy);
      try {
        await navigator.clipboard.writeText(text.textContent);
        copied.textContent = "Copied";
        button.textContent = "Copied";
      } catch {
        select(text);
        copied.textContent = "Selected: press Ctrl-C to copy";
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = "Copy"; copied.textContent = ""; }, 2000);
    });
  }
  const reveal = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    if (target) target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details.print:not([open])")];
    for (const one of folded) one.open = true;
  });
  addEventListener("afterprint", () => { for (const one of folded) one.open = false; });
})();
