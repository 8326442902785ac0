import { alert, searchAlert, without, yearsFromNow } from "../bodies.ts";
import type { Expected, Given, JsonObject, Rule, Topic } from "../rule.ts";
import { ABSENT, echo } from "../rule.ts";

const START = "2026-11-01T06:00:00.000Z";
/** Every member that an alert on a tile may have, but for its schedule. */
const FULL = {
  ...alert(),
  message: "Latency is {{value}}",
  note: "See the runbook",
  threshold: 100,
  thresholdMax: 200,
  thresholdType: "between",
  numConsecutiveWindows: 3,
};
const NULL = null;

/** What an update of an alert does with a member that is left out, and with null. */
function members(
  member: string,
  recorded: readonly number[],
  stored: JsonObject,
  leftOut: Expected,
  nulled: Expected | { readonly refused: string },
): Rule[] {
  const given: Given = [["alert", "alerts", stored]];
  const update = { given, request: "PUT alerts/@alert" };
  const isRefused = typeof nulled === "object" && nulled !== null && "refused" in nulled;
  return [
    {
      rule: `${member} left out`,
      recorded: recorded.slice(0, 3),
      ...update,
      body: without(stored, member),
      members: { [member]: leftOut },
    },
    {
      rule: `${member} null`,
      recorded: recorded.slice(3),
      // Managed stacks take null, and show it.
      ...((isRefused || nulled === ABSENT) && { only: "self-hosted" as const }),
      ...update,
      body: { ...stored, [member]: null },
      ...(isRefused ? { refused: String(nulled.refused) } : { members: { [member]: nulled } }),
    },
  ];
}

/** A schedule of either form on the same alert. */
const scheduled = (schedule: JsonObject): Given => [["alert", "alerts", { ...FULL, ...schedule }]];
const OFFSET_BESIDE_START =
  "Body validation failed: scheduleOffsetMinutes: scheduleOffsetMinutes must be 0 when scheduleStartAt is provided";
const NO_MAX = "Body validation failed: thresholdMax: thresholdMax is required for between/not_between threshold types";
const PUT = "PUT alerts/@alert";
const ONLY_REQUIRED = without(alert({ threshold: 1, interval: "5m" }), "name");

/** What an update of an alert keeps, clears and refuses. */
export const alertUpdates: Topic = {
  topic: "alert-updates",
  request: PUT,
  rules: [
    ...members("scheduleStartAt", [630, 631, 632, 633, 634], { ...FULL, scheduleStartAt: START }, START, NULL).map(
      (rule) => ({ ...rule, only: "self-hosted" as const, members: { ...rule.members, scheduleOffsetMinutes: 0 } }),
    ),
    ...members("scheduleOffsetMinutes", [635, 636, 637, 638, 639], { ...FULL, scheduleOffsetMinutes: 5 }, 5, {
      refused: "Body validation failed: scheduleOffsetMinutes: Expected number, received null",
    }),
    ...members("thresholdMax", [640, 641, 642, 643, 644], { ...FULL, thresholdType: "above" }, 200, {
      refused: "Body validation failed: thresholdMax: Expected number, received null",
    }),
    ...members("numConsecutiveWindows", [645, 646, 647, 648, 649], FULL, NULL, NULL),
    ...members("note", [650, 651, 652, 653, 654], FULL, NULL, NULL),
    ...members("message", [655, 656, 657, 658, 659], FULL, NULL, NULL),
    ...members("name", [660, 661, 662, 663, 664], FULL, NULL, NULL),
    ...members("groupBy", [665, 666, 667, 668, 669], searchAlert({ groupBy: "Service" }), ABSENT, ABSENT),
    {
      rule: "thresholdMax left out of a range, though one is stored",
      recorded: [670],
      given: [["alert", "alerts", FULL]],
      body: without(FULL, "thresholdMax"),
      refused: NO_MAX,
    },
    {
      rule: "thresholdMax left out where the type stops being a range",
      recorded: [671],
      given: [["alert", "alerts", FULL]],
      body: { ...without(FULL, "thresholdMax"), thresholdType: "above" },
      members: { thresholdMax: 200 },
    },
    {
      rule: "a range without thresholdMax onto one that is stored",
      recorded: [694],
      given: [["alert", "alerts", alert({ thresholdMax: 5 })]],
      body: alert({ thresholdType: "between" }),
      refused: NO_MAX,
    },
    {
      rule: "a start onto an offset that is left out",
      only: "self-hosted",
      recorded: [681],
      given: scheduled({ scheduleOffsetMinutes: 5 }),
      body: { ...FULL, scheduleStartAt: START },
      members: { scheduleOffsetMinutes: 0 },
    },
    {
      rule: "an offset onto a start that is left out: both are stored, and the record's own GET body is refused",
      recorded: [682, 683, 684],
      given: scheduled({ scheduleStartAt: START }),
      body: { ...FULL, scheduleOffsetMinutes: 5 },
      members: { scheduleStartAt: START },
      after: [{ body: echo("alert"), refused: OFFSET_BESIDE_START }],
    },
    {
      rule: "start null, offset left out",
      only: "self-hosted",
      recorded: [685],
      given: scheduled({ scheduleOffsetMinutes: 5 }),
      body: { ...FULL, scheduleStartAt: null },
      members: { scheduleOffsetMinutes: 0 },
    },
    {
      rule: "offset 0 onto an offset",
      recorded: [690],
      given: scheduled({ scheduleOffsetMinutes: 5 }),
      body: { ...FULL, scheduleOffsetMinutes: 0 },
    },
    {
      rule: "a shorter interval keeps a longer offset, and the record's own GET body is refused",
      recorded: [691, 692, 693],
      given: scheduled({ scheduleOffsetMinutes: 14 }),
      body: { ...FULL, interval: "5m" },
      members: { scheduleOffsetMinutes: 14 },
      after: [
        {
          body: echo("alert"),
          refused: "Body validation failed: scheduleOffsetMinutes: scheduleOffsetMinutes must be less than 5 minutes",
        },
      ],
    },
    {
      rule: "from a saved search to a tile and back; groupBy of a tile is dropped",
      only: "self-hosted",
      recorded: [686, 687],
      given: [["alert", "alerts", searchAlert({ groupBy: "Service" })]],
      body: alert({ groupBy: "Service" }),
      members: { savedSearchId: ABSENT, groupBy: ABSENT },
      after: [{ body: searchAlert(), members: { tileId: ABSENT, dashboardId: ABSENT, groupBy: ABSENT } }],
    },
    {
      rule: "the required members alone",
      recorded: [688],
      given: [["alert", "alerts", FULL]],
      body: ONLY_REQUIRED,
      members: {
        name: null,
        message: null,
        note: null,
        numConsecutiveWindows: null,
        thresholdMax: 200,
      },
    },
    {
      rule: "groupBy on a tile",
      only: "self-hosted",
      recorded: [689],
      given: [["alert", "alerts", alert()]],
      body: alert({ groupBy: "Service" }),
      members: { groupBy: ABSENT },
    },
    {
      rule: "a copy of a GET body starts with OK",
      recorded: [1423],
      given: [["alert", "alerts", FULL]],
      request: "POST alerts",
      body: echo("alert", { state: "ALERT" }),
      members: { state: "OK", silenced: ABSENT },
    },
    // A recorded time ages.
    {
      rule: "a start two years ahead",
      recorded: [847],
      request: "POST alerts",
      body: alert({ scheduleStartAt: yearsFromNow(2) }),
      refused: "Body validation failed: scheduleStartAt: scheduleStartAt must be within 1 year from now",
    },
    {
      rule: "a start eleven years back",
      recorded: [848],
      request: "POST alerts",
      body: alert({ scheduleStartAt: yearsFromNow(-11) }),
      refused: "Body validation failed: scheduleStartAt: scheduleStartAt must be within 10 years in the past",
    },
  ],
};
