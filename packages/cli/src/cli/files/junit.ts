import { countOf, type CiFinding, totalOf } from '../../model/report/ci-findings.js';
import { oneLine } from './markdown.js';

/** What a JUnit file says besides the findings. */
export interface JUnitSuite {
  readonly name: string;
  readonly startedMs: number;
  /** Name of the test that passes where there is no finding: a file without tests is an error for some readers. */
  readonly nothingFound: string;
  /** Sentences about what is not known: tests that are skipped. */
  readonly notKnown: readonly string[];
}

/** Characters that XML 1.0 cannot hold, besides those that `oneLine` replaces. */
const NO_XML = /[\ufffe\uffff]/g;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** The findings as JUnit XML, in what Jenkins, GitLab, and others have in common: a test for each culprit. */
export function junitXml(findings: readonly CiFinding[], suite: JUnitSuite): string {
  const { notKnown, nothingFound } = suite;
  const cases = [
    ...findings.map(testCase),
    ...notKnown.map((text) => element('testcase', { name: text, classname: suite.name, time: '0.000' }, '<skipped/>')),
  ];
  if (cases.length === 0) cases.push(element('testcase', { name: nothingFound, classname: suite.name, time: '0.000' }));
  const counts = {
    name: suite.name,
    tests: String(cases.length),
    failures: String(countOf(findings, 'error')),
    errors: '0',
  };
  const time = seconds(totalOf(findings));
  const timestamp = new Date(suite.startedMs).toISOString().slice(0, 19);
  const body = element('testsuite', { ...counts, skipped: String(notKnown.length), time, timestamp }, ...cases);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', { ...counts, time }, body)}\n`;
}

function testCase({ level, title, message, functionName, file, totalMs }: CiFinding): string {
  const attributes = { name: functionName, classname: file === '' ? 'event loop' : file, time: seconds(totalMs) };
  const content =
    level === 'error'
      ? element('failure', { message: title, type: 'event-loop-blocked' }, text(message))
      : element('system-out', {}, text(message));
  return element('testcase', attributes, content);
}

function element(name: string, attributes: Readonly<Record<string, string>>, ...content: readonly string[]): string {
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${text(value)}"`);
  const start = `<${name}${pairs.join('')}`;
  if (content.length === 0) return `${start}/>`;
  const isText = content.length === 1 && !content[0]!.startsWith('<');
  return isText ? `${start}>${content[0]!}</${name}>` : `${start}>\n${content.join('\n')}\n</${name}>`;
}

function text(value: string): string {
  return oneLine(value)
    .replace(NO_XML, '\ufffd')
    .replace(/[&<>"]/g, (character) => ENTITIES[character]!);
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
