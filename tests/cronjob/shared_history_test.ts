import { sharedHistoryTests } from "./support/shared_history_suite.ts";

sharedHistoryTests({ runs: 100 });
