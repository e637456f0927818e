/** A line of a drawing: points with the least and the most that was measured at each. */
export interface Curve {
  readonly label: string;
  readonly points: readonly { readonly x: number; readonly least: number; readonly most: number }[];
}

const WIDTH = 890;
const HEIGHT = 300;
const LEFT = 56;
const RIGHT = 380;
const TOP = 40;
const BOTTOM = 40;
const STEPS = 5;

/** Each can be seen on a light and on a dark page; dashes distinguish them where colours do not. */
const PENS = [
  { colour: "#2f81f7", dashes: "" },
  { colour: "#d1782a", dashes: "7 3" },
  { colour: "#2da44e", dashes: "2 3" },
  { colour: "#a371f7", dashes: "9 3 2 3" },
  { colour: "#d6336c", dashes: "12 4" },
  { colour: "#1a9ba1", dashes: "4 4" },
] as const;

/** Returns an SVG image of curves over axes that begin at zero, so that what is linear is a straight line. */
export function drawing(title: string, xTitle: string, curves: readonly Curve[]): string {
  const points = curves.flatMap(({ points }) => points);
  const [xs, ys] = [ticks(Math.max(...points.map(({ x }) => x))), ticks(Math.max(...points.map(({ most }) => most)))];
  const [xMost, yMost] = [xs.at(-1)!, ys.at(-1)!];
  const atX = (x: number) => round(LEFT + x / xMost * (WIDTH - LEFT - RIGHT));
  const atY = (y: number) => round(HEIGHT - BOTTOM - y / yMost * (HEIGHT - TOP - BOTTOM));
  const number = (value: number) => value.toLocaleString("en");
  const right = atX(xMost);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${
      escaped(title)
    }">`,
    "<style>",
    "text { font: 12px system-ui, sans-serif; fill: #1f2328 } .grid { stroke: #8c959f; stroke-opacity: 0.35 }",
    "@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }",
    "</style>",
    `<text x="${LEFT}" y="20" font-weight="bold">${escaped(title)}</text>`,
    ...ys.map((y) =>
      `<path class="grid" d="M${LEFT} ${atY(y)}H${right}"/>` +
      `<text x="${LEFT - 6}" y="${atY(y) + 4}" text-anchor="end">${number(y)}</text>`
    ),
    ...xs.map((x) => `<text x="${atX(x)}" y="${HEIGHT - BOTTOM + 16}" text-anchor="middle">${number(x)}</text>`),
    `<text x="${right}" y="${HEIGHT - 6}" text-anchor="end">${escaped(xTitle)}</text>`,
    ...curves.flatMap(({ label, points }, i) => {
      const { colour, dashes } = PENS[i % PENS.length]!;
      const line = points.map(({ x, least, most }, at) =>
        `${at === 0 ? "M" : "L"}${atX(x)} ${atY((least + most) / 2)}`
      );
      const y = TOP + 18 * i;
      return [
        `<g fill="none" stroke="${colour}" stroke-width="2">`,
        `<path stroke-dasharray="${dashes}" d="${line.join("")}"/>`,
        ...points.map(({ x, least, most }) =>
          `<path stroke-linecap="round" stroke-width="5" d="M${atX(x)} ${atY(least)}V${atY(most)}"/>`
        ),
        `<path stroke-dasharray="${dashes}" d="M${right + 16} ${y}h24"/>`,
        "</g>",
        `<text x="${right + 46}" y="${y + 4}">${escaped(label)}</text>`,
      ];
    }),
    "</svg>\n",
  ].join("\n");
}

/** Returns round numbers from 0 to at least `most`. */
function ticks(most: number): number[] {
  const rough = most / STEPS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, i) => Number((i * step).toPrecision(6)));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
