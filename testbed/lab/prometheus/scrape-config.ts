/** What a cluster's Prometheus scrapes, and with which credentials. */
export interface ScrapeOptions {
  readonly cluster: string;
  /** Host and port of the API server. */
  readonly apiServer: string;
  readonly authorityFile: string;
  readonly certificateFile: string;
  readonly keyFile: string;
  /** Service discovery for the nodes: see `metrics-endpoint.ts`. */
  readonly targetsUrl: string;
}

const EVERY = '5s';

/** Text of the configuration file: JSON, which is valid YAML. */
export function scrapeConfig(options: ScrapeOptions): string {
  const { cluster, apiServer, authorityFile, certificateFile, keyFile, targetsUrl } = options;
  return JSON.stringify(
    {
      global: { scrape_interval: EVERY, scrape_timeout: EVERY },
      scrape_configs: [
        {
          job_name: 'kube-apiserver',
          scheme: 'https',
          tls_config: { ca_file: authorityFile, cert_file: certificateFile, key_file: keyFile },
          static_configs: [{ targets: [apiServer], labels: { instance: cluster, cluster } }],
        },
        {
          job_name: 'nodes',
          http_sd_configs: [{ url: targetsUrl, refresh_interval: EVERY }],
        },
      ],
    },
    null,
    2,
  );
}
