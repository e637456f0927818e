import { shareOf } from "../support/share.ts";
import { truthTests } from "./support/truth/suite.ts";

truthTests({ runs: shareOf(1_000) });
