import { canonicalJson } from "../../core/json.ts";
import { recordKey, type StackRecord } from "../../core/records/record.ts";
import { joinNonEmpty, textAt } from "../model/query.ts";
import { readSource, type StackModel } from "../model/stack.ts";
import {
  preformatted,
  codeText,
  countText,
  disclosure,
  factList,
  linkTo,
  linksToRecords,
  preformattedIfAny,
  type RecordContent,
} from "./parts.ts";
import { dependentsList, findDependents, dependentsText } from "./dependents.ts";

/** Describes a source: its tables, its references to other sources, and what stops working without it. */
export function sourceContent(record: StackRecord, model: StackModel): RecordContent {
  const source = readSource(record);
  const dependents = findDependents(record, model);
  return {
    about: joinNonEmpty([source.kind, ...source.tables.slice(0, 1), dependentsText(dependents)]),
    searchTexts: [source.kind, ...source.tables],
    content: [
      factList([
        ["Kind", source.kind],
        [source.tables.length === 1 ? "Table" : "Tables", codeText(source.tables.join(", "))],
        ["Connection", source.connection !== "" && linkTo(model, "connections", source.connection)],
        ...source.refersTo.map(({ as, id }) => [`Its ${as}`, linkTo(model, "sources", id)] as const),
        ["Id", codeText(source.id)],
      ]),
      dependentsList(dependents, model),
    ],
  };
}

/** Describes a connection: its host, and what stops working without it. */
export function connectionContent(record: StackRecord, model: StackModel): RecordContent {
  const dependents = findDependents(record, model);
  const host = textAt(record.body, "host");
  return {
    about: joinNonEmpty([host, dependentsText(dependents)]),
    searchTexts: [host],
    content: [
      factList([
        ["Address", codeText(host)],
        ["User name", textAt(record.body, "username")],
        ["Id", codeText(record.id)],
      ]),
      dependentsList(dependents, model),
    ],
  };
}

/** Maximum number of records in a list that is open at first. */
const FEW = 8;

/** The address is shown as text, not as a link: a page never leads to an address from an archive. */
export function webhookContent({ id, body }: StackRecord, model: StackModel): RecordContent {
  const users = model.neededBy(recordKey("webhooks", id));
  const links = linksToRecords(model, users);
  const count = countText(users.length, "alert");
  const service = textAt(body, "service");
  return {
    about: joinNonEmpty([service, users.length === 0 ? "no alert uses it" : `notified by ${count}`]),
    searchTexts: [service, textAt(body, "description")],
    content: factList([
      ["Service", service],
      ["Description", textAt(body, "description")],
      ["Address", codeText(textAt(body, "url"))],
      ["Body", preformattedIfAny(textAt(body, "body"), "text code")],
      ["Notified by", users.length <= FEW ? links : disclosure(count, links)],
      ["Id", codeText(id)],
    ]),
  };
}

export function unknownKindContent({ id, body }: StackRecord): RecordContent {
  return { about: id, searchTexts: [], content: preformatted(canonicalJson(body), "text code") };
}
