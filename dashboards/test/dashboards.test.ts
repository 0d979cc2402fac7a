import { describe, expect, test } from '@jest/globals';

import { instanceDashboard } from '../src/dashboards/instance.ts';
import { overviewDashboard } from '../src/dashboards/overview.ts';
import { pipelineDashboard } from '../src/dashboards/pipeline.ts';
import { dashboards } from '../src/links.ts';
import { labels, metrics, records } from '../src/names.ts';
import { annotationQueries, dashboardQueries, isPanel, ruleQueries } from '../src/queries.ts';
import { ruleGroups } from '../src/rules/groups.ts';
import { inLines } from '../src/rules/lines.ts';

const all = [overviewDashboard(), instanceDashboard(), pipelineDashboard()];
const panels = all.flatMap(({ title, panels: of = [] }) =>
  of.filter(isPanel).map((panel) => ({ name: `${title ?? ''}: ${panel.title ?? ''}`, panel })),
);

describe('dashboards, rules and the texts of alerts', () => {
  test('have no query above 500 characters: recording rules carry the logic', () => {
    const queries = [...dashboardQueries(), ...ruleQueries(), ...annotationQueries()];
    expect(annotationQueries().length).toBeGreaterThan(10);
    const tooLong = queries.filter(({ expr }) => expr.length > 500);
    expect(tooLong.map(({ where, expr }) => `${where}: ${expr.length}`)).toEqual([]);
  });

  test('read only rules that exist, and no rule records what nothing reads', () => {
    const recorded: string[] = Object.values(records);
    const names = /(?<![\w:])[a-z][\w]*:[a-z]\w*:\w+/g;
    const read = [...dashboardQueries(), ...ruleQueries(), ...annotationQueries()].flatMap(({ where, expr }) =>
      [...expr.matchAll(names)].map(([name]) => name).filter((name) => name !== where),
    );
    expect([...new Set(read)].filter((name) => !recorded.includes(name))).toEqual([]);
    expect(recorded.filter((name) => !read.includes(name))).toEqual([]);
  });

  test('have rules that stand in lines in their file, and are the same expressions', () => {
    const broken = ruleQueries().filter(({ expr }) => inLines(expr).includes('\n'));
    expect(broken.length).toBeGreaterThan(10);
    for (const { expr } of ruleQueries()) expect(inLines(expr).replaceAll(/\n */g, ' ')).toBe(expr);
    expect(inLines(`a{b="${'x or y '.repeat(20)}"} or c`).split('\n')).toHaveLength(2);
  });

  test('have names of rules as level:metric:operations, and a description', () => {
    const rules = ruleGroups.flatMap((group) => group.rules).filter((rule) => 'record' in rule);
    expect(rules.map(({ record }) => record).sort()).toEqual(Object.values(records).sort());
    for (const { record, description } of rules) {
      expect(record).toMatch(/^[a-z_]+:[a-z][a-z0-9_]+:[a-z0-9_]+$/);
      expect(description).toMatch(/^[A-Z].+\.$/s);
    }
  });
});

describe('dashboards', () => {
  test('have the identifiers that links and alerts use', () => {
    expect(all.map(({ uid, title }) => ({ uid, title }))).toEqual([
      { uid: dashboards.overview.uid, title: dashboards.overview.title },
      { uid: dashboards.instance.uid, title: dashboards.instance.title },
      { uid: dashboards.pipeline.uid, title: dashboards.pipeline.title },
    ]);
  });

  test.each(panels)('$name has a description, a unit and a data source', ({ panel }) => {
    expect(panel.description).toMatch(/^[A-Z].+\.$/s);
    expect(panel.datasource?.uid).toMatch(/^\$\{(metrics|traces)\}$/);
    const units = [
      panel.fieldConfig?.defaults.unit,
      (panel.options as { yAxis?: { unit?: string } } | undefined)?.yAxis?.unit,
      ...(panel.fieldConfig?.overrides ?? []).flatMap(({ properties }) =>
        properties.filter(({ id }) => id === 'unit').map(({ value }) => value as string),
      ),
    ].filter((unit) => unit !== undefined);
    // A table of alerts or traces shows no quantity.
    expect(units.length > 0 || panel.type === 'table').toBe(true);
    expect(panel.targets?.length).toBeGreaterThan(0);
  });

  test.each(all.map((dashboard) => ({ title: dashboard.title, dashboard })))(
    '$title fills rows of 24 columns',
    ({ dashboard }) => {
      const widths = new Map<number, number>();
      for (const panel of (dashboard.panels ?? []).filter(isPanel)) {
        const { y = 0, w = 0 } = panel.gridPos ?? {};
        widths.set(y, (widths.get(y) ?? 0) + w);
      }
      expect([...widths.values()].every((width) => width === 24)).toBe(true);
    },
  );

  test('use only metrics and labels that the pipeline has', () => {
    const names = [...Object.values(metrics), ...Object.values(records)].flatMap((name) => [
      name,
      ...['_bucket', '_count', '_sum'].map((suffix) => name + suffix),
    ]);
    const known = new Set<string>([
      ...names,
      ...Object.values(labels),
      ...['le', 'exporter', 'receiver', 'ALERTS', 'alertstate', 'alertname', '__name__'],
    ]);
    const pipeline = /^otelcol_(exporter|receiver|processor)_\w+_total$/;
    const unknown = [...dashboardQueries(), ...ruleQueries()].flatMap(({ where, expr }) =>
      identifiersOf(expr)
        .filter((identifier) => !known.has(identifier) && !pipeline.test(identifier))
        .map((identifier) => `${where}: ${identifier}`),
    );
    expect(unknown).toEqual([]);
  });

  // Exponential buckets of an application arrive as native histograms, which have no series `_bucket`.
  test('read the buckets of an application in both forms of a histogram', () => {
    const names = [metrics.lag, metrics.blockedDuration];
    const classic = [...dashboardQueries(), ...ruleQueries()].flatMap(({ where, expr }) =>
      names.filter((name) => expr.includes(`${name}_bucket`)).map((name) => ({ where, expr, name })),
    );
    expect(classic.length).toBeGreaterThan(5);
    const classicOnly = classic.filter(({ expr, name }) => !new RegExp(`${name}(?!\\w)`).test(expr));
    expect(classicOnly.map(({ where }) => where)).toEqual([]);
  });
});

/** The metric and label names in an expression: no functions, keywords, durations or strings. */
function identifiersOf(expr: string): string[] {
  const keywords = new Set([
    'topk',
    'by',
    'on',
    'or',
    'and',
    'unless',
    'ignoring',
    'bool',
    'offset',
    'group',
    'sum',
    'min',
    'max',
    'count',
    'Inf',
  ]);
  const bare = expr.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').replaceAll(/\[[^\]]*\]|\$\w+|\boffset \w+/g, ' ');
  return [...bare.matchAll(/(?<![\w:])[A-Za-z_:][\w:]*(?!\s*\(|[\w:])/g)]
    .map(([name]) => name)
    .filter((name) => !keywords.has(name));
}
