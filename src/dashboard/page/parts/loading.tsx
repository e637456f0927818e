import { grouped } from "../model/numbers.ts";

/** Where rows will stand, as long as none has come. */
export function Loading({ what, received = 0, total }: { what: string; received?: number; total?: number }) {
  const progress = total === undefined ? "" : ` ${grouped(received)} of ${grouped(total)}`;
  return (
    <div class="loading stack quiet" role="status">
      <p>Loading {what}…{progress}</p>
      {[0, 1, 2].map((index) => <div key={index} class="card skeleton" aria-hidden="true"></div>)}
    </div>
  );
}
