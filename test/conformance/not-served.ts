/** Recordings of what the sandbox does not serve, by number, each with the reason. */
export const NOT_SERVED: Readonly<Record<number, string>> = {
  73: "shows a server that cannot reach its database; the sandbox has data",
  1175: "shows rows of telemetry; the sandbox makes up its own",
  1185: "shows two members of a team; the sandbox has one user",
  1186: "shows an open invitation; nobody is invited to the sandbox",
};
