import { shareOf } from "../../support/share.ts";
import { test } from "../../support/test.ts";
import { compareAnswers } from "./support/compare_answers.ts";

for (let seed = 1; seed <= shareOf(10); seed++) {
  test(`AnswerParser reads 2,650 random answers of seed ${seed} as node does, however their bytes are cut`, async () => {
    await compareAnswers(seed, { count: 2_650, splits: 66 });
  });
}
