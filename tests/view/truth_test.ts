import { truthTests } from "./support/truth/suite.ts";

truthTests({ runs: 20 });
