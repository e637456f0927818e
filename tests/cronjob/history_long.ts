import { shareOf } from "../support/share.ts";
import { historyTests } from "./support/history_suite.ts";

historyTests({ runs: shareOf(200) });
