/** The file in the working directory that is read by default. */
export const DEFAULT_CONFIG_FILE = "stackferry.yaml";
