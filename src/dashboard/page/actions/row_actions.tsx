import type { ActionName, Row, Target } from "../../wire.ts";
import { fragmentOf } from "../model/address.ts";
import { actionsOn, isRemedy, jobToRead, remedyOn, useRights, withoutButton } from "../model/rights.ts";
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
          <ActButton key={action} row={row} action={action} isFirst={index === 0} />
        ))}
        {isListed && rights.mayReadLogs && <LogsLink row={row} />}
        {isListed && <ExplainLink row={row} />}
      </div>
      {withoutButton(row, rights).map((remedy) => (
        <p key={remedy} class="line remedy">
          <code dir="auto">{remedy}</code>
          {IS_COMMAND.test(remedy) && <CopyButton text={remedy} />}
        </p>
      ))}
    </>
  );
}

const IS_COMMAND = /^(kubectl|cronjob-controller) /;

/** The likeliest remedy alone. */
export function Remedy({ row }: { row: Row }) {
  const remedy = remedyOn(row, useRights(row.namespace));
  if (remedy === "logs") return <LogsLink row={row} />;
  return remedy === "explain" ? <ExplainLink row={row} /> : <ActButton row={row} action={remedy} isFirst />;
}

function ActButton({ row, action, isFirst }: { row: Row; action: ActionName; isFirst: boolean }) {
  return (
    <Button class={isFirst && isRemedy(row, action) ? "first" : ""} onClick={() => askTo(action, [row])}>
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
