import { agreementTests } from "./support/agreement.ts";

agreementTests({ runs: 5_000 });
