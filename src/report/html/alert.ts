import type { StackRecord } from "../../core/records/record.ts";
import type { Html } from "./html.ts";
import { html, lines } from "./html.ts";
import type { AlertModel, ChannelModel } from "../model/alert.ts";
import { readAlert } from "../model/alert.ts";
import type { StackModel } from "../model/stack.ts";
import { facts, linkTo, nameIn, nameOr } from "./parts.ts";
import type { OwnParts } from "./parts.ts";

/** An alert: its condition in words, the record it watches, its notifications. */
export function alertParts(record: StackRecord, model: StackModel): OwnParts {
  const alert = readAlert(record);
  const sentence = conditionOf(alert, model);
  const dashboard = alert.dashboardId === "" ? "" : nameIn(model, "dashboards", alert.dashboardId);
  return {
    about: `fires when ${sentence}`,
    find: [
      dashboard,
      model.tile(alert.dashboardId, alert.tileId)?.name ?? "",
      alert.message,
      ...alert.channels.map(({ webhookId }) => nameIn(model, "webhooks", webhookId)),
    ],
    content: html`<p>Fires when <b>${sentence}</b>.</p>
      ${facts([
        ["Watches", watchedObject(alert, model)],
        ["Notifies", alert.channels.map((channel, index) => html`${index > 0 && ", "}${channelOf(channel, model)}`)],
        ["Message", alert.message !== "" && html`<pre class="text">${lines(alert.message)}</pre>`],
        ["Note", alert.note !== "" && html`<pre class="text">${lines(alert.note)}</pre>`],
        ["State when read", alert.state],
        ["Id", html`<code>${alert.id}</code>`],
      ])}`,
  };
}

/** `count where level:error is above 100 over 5m` */
export function conditionOf(alert: AlertModel, model: StackModel): string {
  const measure = model.tile(alert.dashboardId, alert.tileId)?.measure ?? "";
  const measuredText = alert.savedSearchId === "" ? "the value" : "the number of events found";
  return `${measure === "" ? measuredText : measure} ${alert.condition}`;
}

function watchedObject({ dashboardId, tileId, savedSearchId }: AlertModel, model: StackModel): Html {
  if (dashboardId === "") return html`saved search <code>${savedSearchId}</code>`;
  const tile = model.tile(dashboardId, tileId);
  const what = tile === undefined ? html`tile <code>${tileId}</code>` : html`${nameOr(tile.name, tile.id)}`;
  return html`${what} on ${linkTo(model, "dashboards", dashboardId)}`;
}

function channelOf({ type, webhookId, recipients }: ChannelModel, model: StackModel): Html {
  if (webhookId !== "") {
    const isKnown = model.find("webhooks", webhookId) !== undefined;
    return html`${isKnown && "webhook "}${linkTo(model, "webhooks", webhookId)}`;
  }
  return html`${type}${recipients.length > 0 && ` ${recipients.join(", ")}`}`;
}
