import { shareOf } from "../support/share.ts";
import { agreementTests } from "./support/agreement.ts";

agreementTests({ runs: shareOf(5_000) });
