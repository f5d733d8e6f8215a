export interface RuleFile {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
}

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What we read of a dashboard of Grafana. */
export interface Dashboard {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
  readonly templating: {
    readonly list: readonly {
      readonly type: string;
      readonly query: string | { readonly query: string };
    }[];
  };
}

/** All PromQL of a dashboard: of its panels, and of the lists that one chooses from. */
export function exprsOf({ panels, templating }: Dashboard): readonly string[] {
  const lists = templating.list.filter(({ type }) => type === 'query');
  return [
    ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...lists.map(({ query }) => (typeof query === 'string' ? query : query.query)),
  ];
}

/** Names of our metrics in PromQL; those that a rule records have colons. */
export function namesIn(expr: string): readonly string[] {
  return expr.match(/[\w:]*ccm_migrate_[\w:]*/g) ?? [];
}

export interface Selector {
  readonly metric: string;
  readonly label: string;
  readonly words: readonly string[];
}

/** By which label values PromQL selects; alternatives of a regular expression are words of their own. */
export function selectorsIn(expr: string): readonly Selector[] {
  return [...expr.matchAll(/([\w:]*ccm_migrate_[\w:]*)\{([^}]*)\}/g)].flatMap(
    ([, metric = '', matchers = '']) =>
      [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g)].map(
        ([, label = '', value = '']) => ({ metric, label, words: value.split('|') }),
      ),
  );
}
