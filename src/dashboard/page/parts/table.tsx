import type { ComponentChildren } from "preact";

/** A column by its heading, and the class of that. */
export type Column = string | readonly [title: ComponentChildren, of: string];

/** Rows under headings, which scrolls sideways where it has no room. */
export function Table(
  { of, columns, children }: { of?: string; columns: readonly Column[]; children: ComponentChildren },
) {
  return (
    <div class="wide">
      <table class={of}>
        <thead>
          <tr>
            {columns.map((column, index) => {
              const [title, of] = typeof column === "string" ? [column, ""] : column;
              return title === "" ? <td key={index}></td> : <th key={index} scope="col" class={of}>{title}</th>;
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
