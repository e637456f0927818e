import { viewHistoryTests } from "./support/view_history.ts";

viewHistoryTests({ runs: 1 });
