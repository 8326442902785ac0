import { alert, searchAlert, yearsFromNow } from "../bodies.ts";
import { FULL_ALERT, FULL_SEARCH, START } from "../recorded-updates.ts";
import { ABSENT, echo, type Given, type JsonObject, type Topic } from "../rule.ts";

/** Returns an alert with this schedule, under the name `alert`. */
const scheduled = (schedule: JsonObject): Given => [["alert", "alerts", { ...FULL_ALERT, ...schedule }]];
const OFFSET_BESIDE_START =
  "Body validation failed: scheduleOffsetMinutes: scheduleOffsetMinutes must be 0 when scheduleStartAt is provided";

/** Hand-written rules for updates of alerts; other recorded updates become rules in recorded-rules.ts. */
export const alertUpdates: Topic = {
  topic: "alert-updates",
  request: "PUT alerts/@alert",
  rules: [
    {
      rule: "a range without thresholdMax onto one that is stored",
      recorded: [694],
      given: [["alert", "alerts", alert({ thresholdMax: 5 })]],
      body: alert({ thresholdType: "between" }),
      refused: "Body validation failed: thresholdMax: thresholdMax is required for between/not_between threshold types",
    },
    {
      rule: "an offset onto a start that is left out: both are stored, and the record's own GET body is refused",
      recorded: [682, 683, 684],
      given: scheduled({ scheduleStartAt: START }),
      body: { ...FULL_ALERT, scheduleOffsetMinutes: 5 },
      members: { scheduleStartAt: START },
      after: [{ body: echo("alert"), refused: OFFSET_BESIDE_START }],
    },
    {
      rule: "offset 0 onto an offset",
      recorded: [690],
      given: scheduled({ scheduleOffsetMinutes: 5 }),
      body: { ...FULL_ALERT, scheduleOffsetMinutes: 0 },
    },
    {
      rule: "a shorter interval keeps a longer offset, and the record's own GET body is refused",
      recorded: [691, 692, 693],
      given: scheduled({ scheduleOffsetMinutes: 14 }),
      body: { ...FULL_ALERT, interval: "5m" },
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
      rule: "an update of a saved search keeps the alert on it",
      recorded: [1265, 1266],
      given: [
        ["record", "saved-searches", FULL_SEARCH],
        ["alert", "alerts", searchAlert({ savedSearchId: "@record" })],
      ],
      request: "PUT saved-searches/@record",
      body: FULL_SEARCH,
      after: [{ request: "GET alerts/@alert" }],
    },
    {
      rule: "a copy of a GET body starts with OK",
      recorded: [1423],
      given: [["alert", "alerts", FULL_ALERT]],
      request: "POST alerts",
      body: echo("alert", { state: "ALERT" }),
      members: { state: "OK", silenced: ABSENT },
    },
    // The public sources of the server show the next two rules. There is no recording of them.
    ...["dashboardId", "tileId"].map((member) => ({
      rule: `an empty ${member}`,
      only: "self-hosted" as const,
      request: "POST alerts",
      body: alert({ [member]: "" }),
      refused: `Body validation failed: ${member}: String must contain at least 1 character(s)`,
    })),
    // A recorded time comes nearer from day to day, so this rule computes one.
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
