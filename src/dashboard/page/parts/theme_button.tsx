import { useValue, Value } from "../model/value.ts";

type Theme = "system" | "light" | "dark";

/** What comes after what. */
const NEXT: Readonly<Record<Theme, Theme>> = { system: "light", light: "dark", dark: "system" };

const LABELS: Readonly<Record<Theme, string>> = { system: "as the system has it", light: "light", dark: "dark" };

const theme = new Value<Theme>(chosenTheme());

function chosenTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === "light" || theme === "dark" ? theme : "system";
}

function choose(next: Theme) {
  theme.set(next);
  if (next === "system") {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem("theme");
  } else {
    document.documentElement.dataset.theme = next;
    localStorage.setItem("theme", next);
  }
}

export function ThemeButton() {
  const now = useValue(theme);
  const label = `Colours: ${LABELS[now]}`;
  return (
    <button type="button" class="icon" title={label} aria-label={label} onClick={() => choose(NEXT[now])}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r="6" class="stroke" />
        {now !== "light" &&
          <path d={now === "dark" ? "M8 2a6 6 0 110 12A6 6 0 018 2z" : "M8 2a6 6 0 010 12z"} />}
      </svg>
    </button>
  );
}
