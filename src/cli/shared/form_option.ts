import type { Option } from "commander";
import { WEBHOOK_FORMS } from "../../notifications/webhook_form.ts";
import { option } from "../options.ts";

/** Returns the option that says what the receiver understands. */
export function formOption(): Option {
  return option("--notify-form <form>", "what the receiver understands: messages as Slack, alerts, or events")
    .choices(WEBHOOK_FORMS).default("slack");
}
