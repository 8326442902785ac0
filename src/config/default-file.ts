/** The configuration file that is read from the working directory by default. */
export const DEFAULT_CONFIG_FILE = "stackferry.yaml";
