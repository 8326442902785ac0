/** The proxy variables, as the client takes them. */
export interface ProxyEnv {
  readonly http_proxy?: string;
  readonly https_proxy?: string;
  readonly no_proxy?: string;
}

/** Reads the proxy variables in either case, the lower one first, as other programs do. */
export function proxyEnv(env: Readonly<Record<string, string | undefined>>): ProxyEnv | undefined {
  const names = ["http_proxy", "https_proxy", "no_proxy"] as const;
  const found = names.flatMap((name) => {
    const value = env[name] || env[name.toUpperCase()];
    return value ? [[name, value] as const] : [];
  });
  const proxies = found.filter(([name]) => name !== "no_proxy");
  return proxies.length === 0 ? undefined : Object.fromEntries(found);
}
