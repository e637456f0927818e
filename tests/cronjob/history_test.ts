import { historyTests } from "./support/history_suite.ts";

historyTests({ runs: 2 });
