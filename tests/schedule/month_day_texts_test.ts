import { assert, assertEquals, assertThrows } from "@std/assert";
import type { FieldName } from "../../src/schedule/field_item.ts";
import { parseSchedule } from "../../src/schedule/parse_schedule.ts";
import { ScheduleError } from "../../src/schedule/schedule_error.ts";
import { test } from "../support/test.ts";
import { readVectors } from "./support/vectors.ts";

const HASH_KEY = "default/report";
const FROM = Date.UTC(2026, 0, 1);

function extended(text: string) {
  return parseSchedule(text, { grammar: "Extended", hashKey: HASH_KEY });
}

/** In each line, the day fields of schedules that mean the same. */
const GOOD: readonly (readonly string[])[] = [
  ["L *", "l *", "L ?", "L, *", ",L *", "L,L *", "L,l */1", "L *-7", "L ,", "L ,,", "l ,"],
  ["L-1 *", "l-1 *", "L-01 *", "L-+1 *", "L-1,L-1 ?"],
  ["L-3 *", "l-3 *", "L-003 *", "L-3,, *"],
  ["L-30 *", "l-30 *"],
  ["LW *", "lw *", "Lw *", "lW *", "LW,LW *"],
  ["1W *", "1w *", "01W *", "+1W *", "1W,1w *"],
  ["15W *", "15w *", "015W *", "15W ?", ",15W, *"],
  ["31W *", "31w *"],
  ["1W,15W *", "15W,1W *", "1w,15w ?", "15W,,1W,15W *"],
  // H is 15 for this name.
  ["L,15 *", "15,L *", "15-15,L *", "15,15,l ?", "H,L *", "L,H *"],
  ["1-3,L-2,LW *", "LW,1,2,3,L-2 *", "L-2,1-2,2-3,LW *"],
  ["*/10,L *", "1,11,21,31,L *", "1/10,L *", "1-31/10,L ?"],
  ["28-31,L *", "28-31 *"],
  [
    "*,L *",
    "L,* *",
    "?,15W *",
    "*-L,3 *",
    "*-LW *",
    "* *",
    "? ?",
    "L,1-31 *",
    "1-31 *",
    "1/1 *",
    "* *,FRI#2",
    "* 5L,?",
    "* *-5L",
    "* 1-7",
    "* 0-6",
    "* SUN-7",
    "* 0-7",
    "* MON-7",
    "* 1-7/1",
  ],
  ["*,L FRI", "* 5", "15W,? fri", "* 5/7"],
  ["H *", "H,H *"],
  ["H(1-7),LW *", "LW,H(1-7) ?"],
  ["H/10,15W *", "15W,H/10 *"],
  [
    "* FRI#2",
    "* fri#2",
    "? Fri#2",
    "* 5#2",
    "* 05#2",
    "* +5#2",
    "* FRI#02",
    "* 5#+2",
    "* 5#2,",
    "* 5#2,FRI#2",
    "*/1 5#2",
  ],
  ["* SUN#1", "* sun#1", "* 0#1", "* 7#1", "* 00#1", "? 07#1", "* 0#1,7#1", "* sUn#1,,SUN#1"],
  ["* MON#5", "* 1#5", "? mon#5"],
  ["* FRI#5", "* 5#5"],
  ["* FRIL", "* fril", "* FriL", "* FRIl", "* 5L", "* 5l", "* 05L", "? +5L", "* 5L,FRIL", "* FRİL", ", FRIL", ",, 5L"],
  ["* SUNL", "* sunl", "* 0L", "* 7L", "* 7l,0L"],
  ["* SATL", "* 6L"],
  ["* WEDL", "* wedl", "* 3L"],
  ["* WED#3", "* wed#3", "* 3#3"],
  ["* FRI#1,FRI#3", "* FRI#3,5#1", "? 5#3,,fri#1"],
  ["* MON#1,FRIL", "* 5L,1#1"],
  ["* MON,FRIL", "* 1,5L", "* 5l,mon"],
  ["* MON-WED,FRI#2", "* FRI#2,1-3", "* 1,2,3,5#2"],
  ["* */2,FRI#2", "* 0,2,4,6,5#2", "* SUN/2,FRI#2"],
  ["* H,FRI#2", "* FRI#2,H"],
  ["* H(MON-FRI),SATL", "* 6L,H(1-5)"],
  ["* 7", "* 0", "* SUN", "* 7,0", "* 7-7", "* 7/2", "* 07"],
  ["* 5-7", "* FRI-7", "* 0,5,6", "* fri-7,SUN", "* 5-6,7"],
  ["* 1-7/2", "* 1,3,5,0"],
  ["* 6-7/1", "* SAT,SUN", "* SAT-7"],
  ["L FRI", "l 5", "L fri", "L 5-5"],
  ["L 1-5", "L MON-FRI", "l 1,2,3,4,5"],
  ["L FRIL", "l 5L", "L fril"],
  ["15W MON#1", "15w 1#1", "15W, mon#1"],
  ["1W,LW TUE#2,THUL", "lw,1w 2#2,4L"],
  ["13 FRI#2", "13 5#2", "13-13 fri#2"],
  ["*/2 SUNL", "1/2 7L", "1-31/2 0L"],
  ["L-1,L *", "L,L-1 *", "l,l-1 ?"],
  ["L-2,L-1,L MON", "l,L-1,L-2 1"],
  ["2W,3 TUE-THU,SUN#5", "3,2w 2-4,7#5"],
  ["31,31W *", "31W,31 *"],
  ["L,LW,L-1,1W *", "1W,L-1,LW,L *"],
];

function schedulesOf(days: string): string {
  const [dayOfMonth, dayOfWeek] = days.split(" ");
  return `17 3 ${dayOfMonth} * ${dayOfWeek}`;
}

test("extended schedules that mean the same run alike, and others do not", () => {
  assert(new Set(GOOD.flat()).size >= 200, `${new Set(GOOD.flat()).size} texts`);
  const runs = (days: string) => [...extended(schedulesOf(days)).between(FROM, Date.UTC(2029, 0, 1))].join();
  const lines = new Map<string, string>();
  for (const [first = "", ...others] of GOOD) {
    const expected = runs(first);
    assert(expected !== "", first);
    for (const other of others) assertEquals(runs(other), expected, `${other}, as ${first}`);
    assertEquals(lines.get(expected), undefined, first);
    lines.set(expected, first);
  }
});

const DATE = "must be 1-31, L, L-3, LW or 15W";
const WEEKDAY = "must be 0-7 or SUN-SAT (0 and 7 are Sunday), FRI#2 or FRIL";
const REMARK = "L, W and # stand in day-of-month and day-of-week";

/** Items that are refused, by the field and the remedy. */
const BAD_ITEMS: readonly (readonly [field: FieldName, remedy: string, ...items: string[]])[] = [
  [
    "day-of-month",
    "the date before W must be 1-31",
    "0W",
    "32W",
    "00W",
    "99W",
    "100W",
    "0w",
    "+0W",
    "99999999999999999999W",
  ],
  [
    "day-of-month",
    "W needs a date before it, such as 15W; LW is the last weekday, Monday to Friday, of the month",
    "W",
    "w",
  ],
  ["day-of-month", "the number after L- must be 1-30; the last day itself is L", "L-0", "l-0", "L-00", "L-+0"],
  ["day-of-month", "the number after L- must be 1-30", "L-31", "L-32", "l-100", "L-99999999999999999999"],
  ["day-of-month", "a range cannot end with L; write 15-31, which ends with every month", "15-L", "15-l"],
  ["day-of-month", "a range cannot end with L; write 1-31, which ends with every month", "1-L"],
  [
    "day-of-month",
    "L and W take no range; list the days, such as 1W,15W",
    "1W-5W",
    "1-5W",
    "1W-5",
    "L-LW",
    "L-5-3",
    "L-1-L",
    "LW-1",
    "LW-3",
    "15-LW",
    "L-",
    "L--3",
    "-L",
    "L-x",
    "-1W",
    "L-3W",
    "l-1w",
    "L-1.5",
    "L-0x1",
  ],
  [
    "day-of-month",
    "L and W take no step; list the days, such as 1W,15W",
    "L/2",
    "L-3/2",
    "LW/2",
    "15W/3",
    "L/",
    "1-15W/2",
    "15/L",
    "1W/0",
    "/L",
    "15W/2/3",
  ],
  [
    "day-of-month",
    "weekdays stand in day-of-week, such as FRI#2 or FRIL",
    "FRI#2",
    "5#2",
    "5L",
    "7l",
    "FRIL",
    "monL",
    "9L",
    "#",
    "#2",
    "15#",
    "L#1",
    "W#1",
  ],
  [
    "day-of-month",
    DATE,
    "LL",
    "WL",
    "WW",
    "LWL",
    "LWW",
    "15L",
    "31L",
    "L3",
    "L+3",
    "W15",
    "15WW",
    "1.5W",
    "15_W",
    "LAST",
    "WEEKDAY",
    "15W)",
    "(L)",
    "~L",
    "0",
    "32",
    "FRI",
    "x",
    "1L1",
    "L1W",
    "LW1",
    "5Wx",
    "１５W",
    "ſL",
  ],
  [
    "day-of-week",
    "the number after # must be 1-5; the last one is FRIL",
    "6#6",
    "5#0",
    "5#6",
    "FRI#0",
    "fri#6",
    "0#9",
    "7#10",
    "5#",
    "FRI#",
    "5#-1",
    "FRI#-1",
    "5#x",
    "5#FRI",
    "5#1.5",
    "5#2#3",
    "5##2",
    "5#1-2",
    "5#1-3",
    "5#99999999999999999999",
    "SUN#00",
  ],
  [
    "day-of-week",
    "the weekday before # must be 0-7 or SUN-SAT",
    "8#1",
    "8#6",
    "#2",
    "#",
    "10#1",
    "x#1",
    "FR#1",
    "FRIDAY#1",
    "LW#1",
  ],
  [
    "day-of-week",
    "the weekday before L must be 0-7 or SUN-SAT",
    "8L",
    "9l",
    "10L",
    "LL",
    "xL",
    "FRL",
    "FRIDAYL",
    "FRILL",
    "JUL",
  ],
  [
    "day-of-week",
    "L needs a weekday before it, such as FRIL; the last day of the month is L in day-of-month",
    "L",
    "l",
  ],
  [
    "day-of-week",
    "dates stand in day-of-month, such as 15W, LW or L-3",
    "W",
    "LW",
    "lw",
    "15W",
    "1w",
    "+1W",
    "0W",
    "L-3",
    "l-1",
    "L-0",
  ],
  [
    "day-of-week",
    "# and L take no range; list the weekdays, such as MON#1,TUE#1",
    "1-5#2",
    "MON-FRI#2",
    "1-5L",
    "MON-FRIL",
    "L-FRI",
    "FRIL-SATL",
    "5L-1",
    "-5L",
    "-1#1",
  ],
  [
    "day-of-week",
    "# and L take no step; list the weekdays, such as FRI#1,FRI#3",
    "5#2/2",
    "FRI#1/2",
    "5L/2",
    "L/2",
    "/5L",
    "1-5#2/2",
    "5/L",
  ],
  ["day-of-week", "write 5L", "5#L", "5#l"],
  ["day-of-week", "write FRIL", "FRI#L"],
  [
    "day-of-week",
    WEEKDAY,
    "8",
    "9",
    "+8",
    "10",
    "FRIDAY",
    "FR",
    "FRI1",
    "1FRI",
    "x",
    "5F",
    "FRIW",
    "MONW",
    "5W1",
    "W5",
  ],
  ["day-of-week", "must be H, H/n, H(a-b) or H(a-b)/n", "H#2", "HL", "H(1-5)#2", "H(1-5)L", "H-3"],
  ["day-of-month", "must be H, H/n, H(a-b) or H(a-b)/n", "HW", "HL", "H(1-5)W", "H-L"],
  ["hour", `must be 0-23; ${REMARK}`, "L", "l", "LW", "L-3", "15W", "5#2", "5L", "FRIL"],
  ["minute", `must be 0-59; ${REMARK}`, "L", "LW", "15W", "L/5", "FRI#2"],
  ["month", `must be 1-12 or JAN-DEC; ${REMARK}`, "L", "LW", "5L", "L-1", "JAN#2", "JANL"],
];

const PLACES = { "minute": 0, "hour": 1, "day-of-month": 2, "month": 3, "day-of-week": 4 } as const;

test("a day that can't be is refused by the field, the item and the remedy", () => {
  let count = 0;
  for (const [field, remedy, ...items] of BAD_ITEMS) {
    for (const item of items) {
      count++;
      for (const [fieldText, where] of [[item, ""], [`1,${item}`, `in "1,${item}": `]] as const) {
        const parts = ["0", "0", "*", "*", "*"];
        parts[PLACES[field]] = fieldText;
        const error = assertThrows(() => extended(parts.join(" ")), ScheduleError);
        assertEquals(error.message, `${field} ${JSON.stringify(item)}: ${where}${remedy}`);
      }
    }
  }
  assert(count >= 200, `${count} items`);
});

test("weekdays that wrap around are refused with the list to write", () => {
  const messages: Readonly<Record<string, string>> = {
    "7-2": 'day-of-week "7-2": a range must rise; write 7,0-2',
    "FRI-SUN": 'day-of-week "FRI-SUN": a range must rise; write FRI-SAT,SUN',
    "6-1": 'day-of-week "6-1": a range must rise; write 6,0-1',
  };
  for (const [item, message] of Object.entries(messages)) {
    assertEquals(assertThrows(() => extended(`0 0 * * ${item}`), ScheduleError).message, message);
  }
});

test("the extended grammar takes what Kubernetes takes, and reads it alike", async () => {
  const { next, parse } = await readVectors("trimmed");
  const texts = [...new Set([...next.map(({ expr }) => expr), ...parse.flatMap(({ expr, ok }) => ok ? [expr] : [])])];
  assert(texts.length > 500, `${texts.length} texts`);
  for (const text of texts) {
    const [kubernetes, ours] = [parseSchedule(text), parseSchedule(text, { grammar: "Extended" })];
    const runs = [kubernetes, ours].map((
      schedule,
    ) => [schedule.neverRuns, schedule.next(FROM), schedule.previous(FROM)]);
    assertEquals(runs[1], runs[0], text.slice(0, 100));
  }
});
