import { shareOf } from "../support/share.ts";
import { sharedHistoryTests } from "./support/shared_history_suite.ts";

sharedHistoryTests({ runs: shareOf(5_000) });
