/** How a refusal is written by the self-hosted variant; the managed one writes all but `page` as JSON. */
export type RefusalForm = "json" | "text" | "html" | "page";

/** Thrown by a handler to answer with an error status; the envelope of the variant gives it its body. */
export class Refusal extends Error {
  readonly status: number;
  readonly form: RefusalForm;

  constructor(status: number, message: string, form: RefusalForm = "json") {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.form = form;
  }
}
