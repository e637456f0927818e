import type { ActionName, Row, Target } from "../../wire.ts";
import { fragmentOf } from "../model/address.ts";
import { actionsOn, isFirst, jobToRead, remedyOn, useRights, withoutButton } from "../model/rights.ts";
import { Button, CopyButton } from "../parts/elements.tsx";
import { askTo } from "./act.ts";
import { TEXTS } from "./texts.ts";

/** The actions on a CronJob: an action without the right for it is absent, or a command for those who have it. */
export function RowActions({ row, isListed = false }: { row: Row; isListed?: boolean }) {
  const rights = useRights(row.namespace);
  return (
    <>
      <div class="bar actions">
        {actionsOn(row, rights).map((action, index) => (
          <ActButton key={action} row={row} action={action} isLeading={index === 0} />
        ))}
        {isListed && rights.mayReadLogs && <LogsLink row={row} />}
        {isListed && <ExplainLink row={row} />}
      </div>
      {withoutButton(row, rights).map((remedy) => {
        const [command] = COMMAND.exec(remedy) ?? [];
        return (
          <p key={remedy} class="line remedy">
            <code dir="auto">{remedy}</code>
            {command && <CopyButton text={command} />}
          </p>
        );
      })}
    </>
  );
}

/** A command, which ends a remedy or is all of it. */
const COMMAND = /(?<=^|: )(kubectl|cronjob-controller) .*/;

/** The likeliest remedy alone. */
export function Remedy({ row }: { row: Row }) {
  const remedy = remedyOn(row, useRights(row.namespace));
  if (remedy === "logs") return <LogsLink row={row} />;
  return remedy === "explain" ? <ExplainLink row={row} /> : <ActButton row={row} action={remedy} isLeading />;
}

function ActButton({ row, action, isLeading }: { row: Row; action: ActionName; isLeading: boolean }) {
  return (
    <Button class={isLeading && isFirst(row, action) ? "first" : ""} onClick={() => askTo(action, [row])}>
      {TEXTS[action].button}
    </Button>
  );
}

function LogsLink({ row }: { row: Row }) {
  const job = jobToRead(row);
  return job === undefined ? null : <a class="button" href={logsOf(row, job)}>Logs</a>;
}

function ExplainLink({ row }: { row: Row }) {
  return <a class="button" href={pageOf(row)}>Explain</a>;
}

export function logsOf(of: Target, job: string) {
  return fragmentOf({ view: "cronjob", target: of, params: { job } });
}

export function pageOf(of: Target) {
  return fragmentOf({ view: "cronjob", target: of, params: {} });
}
