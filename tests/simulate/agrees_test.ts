import { agreementTests } from "./support/agreement.ts";

agreementTests({ runs: 60 });
