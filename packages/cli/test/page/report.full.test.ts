import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { reportHtml } from '../../src/cli/files/report.js';
import type { BusyAnswers } from '../../src/model/busy-time/busy.js';
import { createRecording } from '../../src/model/recording/recording.js';
import type { CodeLocation } from '../../src/model/types.js';
import { accessibilityProblems, openPage, takePicture } from '../support/browser.js';
import { fixture, runCli } from '../support/cli.js';
import { expectEventually, overflowPx } from '../support/live-page.js';
import { pageSuite } from '../support/page-suite.js';
import { makeBlock, makeBusyPeriod, makeLag } from '../support/records.js';

const PAGE_FILE = new URL('../../dist/page.html', import.meta.url);

const suite = pageSuite();
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-report-'));
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

const MEASURED = {
  loopwatchVersion: '0.1.0',
  command: ['node', 'app.js'],
  directory: '/app',
  startedMs: 1_795_263_286_000,
  durationMs: 60_000,
  thresholdMs: 100,
  exit: { code: 0 },
  processes: [{ id: 'i1', service: 'app.js', label: 'pid 1', pid: 1 }],
  droppedBlocks: 0,
  sources: {},
};

async function write(name: string, html: string): Promise<string> {
  const file = path.join(directory, name);
  await writeFile(file, html);
  return pathToFileURL(file).href;
}

describe('the report', () => {
  let ofRealRun: string;
  beforeAll(async () => {
    const file = path.join(directory, 'run.html');
    await runCli(['run', '--quiet', '--report', file, '--', 'node', 'culprits.cjs'], { cwd: fixture('') });
    ofRealRun = pathToFileURL(file).href;
  });

  test.each(['light', 'dark'] as const)(
    'of a real run works offline and is accessible in the %s theme',
    async (colorScheme) => {
      const { page, consoleErrors } = await openPage(suite.browser, ofRealRun, {
        colorScheme,
        offline: true,
      });
      await page.locator('.flame .frame').nth(3).waitFor();
      expect(await page.locator('.culprits tbody').textContent()).toContain('createSpans');
      expect(await page.locator('.subject').textContent()).toContain('exit code 0');
      expect(await accessibilityProblems(page)).toEqual([]);
      await takePicture(page, `report-${colorScheme}`, { height: 1_240, documentation: true });

      await page.locator('.blocks tbody tr', { hasText: 'createSpans' }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.locator('.snippet .hit').first().waitFor();
      expect(await dialog.locator('.snippet').textContent()).toContain('logs.find');
      expect(await accessibilityProblems(page)).toEqual([]);
      await takePicture(page, `report-block-${colorScheme}`, { documentation: true });
      expect(consoleErrors).toEqual([]);
    },
  );

  test.each([1280, 700, 380])('shows its remarks within a window that is %i pixels wide', async (width) => {
    const unwatchedProcesses = [
      { pid: 7, command: 'node node_modules/next/dist/bin/next build', reason: 'node_options_replaced' as const },
      { pid: 8, command: 'node worker.js', reason: 'node_options_removed' as const },
    ];
    const recording = createRecording({
      ...MEASURED,
      unwatchedProcesses,
      startUp: { counted: false, threads: [{ instance: 'i1', threadId: 0, threadName: 'main', durationMs: 924 }] },
      blocks: width === 700 ? [] : [makeBlock({})],
      lagPoints: [],
    });
    const { page } = await openPage(
      suite.browser,
      await write(`remarks-${width}.html`, await reportHtml(recording, PAGE_FILE)),
    );
    await page.setViewportSize({ width, height: 800 });
    const remarks = page.locator('.remarks p');
    await remarks.getByText('Start-up took 924 ms').waitFor();
    expect(await remarks.allTextContents()).toHaveLength(3);
    expect(await page.locator('.subject').textContent()).toContain('node app.js');
    expect(await overflowPx(page)).toBeLessThanOrEqual(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePicture(page, `report-remarks-${width}`);
  });

  test.each(['light', 'dark'] as const)(
    'shows where the time of the loop goes in the %s theme',
    async (colorScheme) => {
      const at = (functionName: string, file: string): CodeLocation => {
        return { functionName, filePath: `/app/${file}`, lineNumber: 12, columnNumber: 3 };
      };
      const answers: BusyAnswers[] = [
        {
          request: 'GET /search',
          culprit: at('parseFilters', 'src/filters.ts'),
          stack: 'search;parseFilters',
          weight: 9,
        },
        { request: 'POST /login', culprit: at('hash', 'node_modules/bcryptjs/i.js'), weight: 5, lateWeight: 5 },
        { request: 'GET /list', culprit: at('slow', 'src/slow.js'), stack: 'list;slow', weight: 4, isInBlock: true },
        { weight: 2 },
      ];
      const busyPeriods = Array.from({ length: 30 }, (_, second) => {
        const startMs = MEASURED.startedMs + second * 1000;
        return makeBusyPeriod({ startMs, endMs: startMs + 1000, answerCount: 20, answers });
      });
      const blocks = [makeBlock({ startMs: MEASURED.startedMs + 2_000, durationMs: 5_400 })];
      const recording = createRecording({ ...MEASURED, blocks, lagPoints: [], busyPeriods });
      const { page } = await openPage(
        suite.browser,
        await write(`loop-time-${colorScheme}.html`, await reportHtml(recording, PAGE_FILE)),
        { colorScheme },
      );
      const card = page.getByRole('region', { name: 'Where the loop’s time goes' });
      await card.getByText('Busy for 27.00 s, 20 % of it in blocks, 600 answers, ± 4 points at most').waitFor();
      const rows = await card.locator('tbody tr').allTextContents();
      expect(rows.map((row) => row.replaceAll(/\s+/g, ' '))).toEqual([
        'parseFilterssrc/filters.ts:12GET /search12.15 s–45 %',
        '≈ hashbcryptjs/i.js:12POST /login6.75 s–25 %',
        'slowsrc/slow.js:12GET /list5.40 s5.40 s20 %',
        'No function knownoutside of a request2.70 s–10 %',
      ]);
      expect(await page.locator('.remarks').textContent()).toContain(
        '45 % in GET /search, parseFilters (src/filters.ts:12)',
      );

      await card.locator('.frame').first().focus();
      await page.keyboard.press('ArrowDown');
      expect(await card.locator('.flame-info').textContent()).toContain('parseFilters12.15 s45 %');
      await card.getByRole('button', { name: 'Without blocks' }).click();
      expect(await card.locator('.frame').first().getAttribute('aria-label')).toContain('21.60 s');
      expect(await accessibilityProblems(page)).toEqual([]);
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        // The flame graph is drawn anew when it has got its size.
        await expectEventually(async () => (await overflowPx(page)) <= 0, true);
        await takePicture(page, `loop-time-${colorScheme}-${width}`, { height: 2_400 });
      }
    },
  );

  test('loads no other file', async () => {
    const html = await readFile(PAGE_FILE, 'utf8');
    expect(html.match(/(src|href)="(?!data:)[^"]+"/g)).toBeNull();
    expect(html).toContain("default-src 'none'");
  });

  test('says in one sentence what blocked most, or what the selected culprit did, and copies it', async () => {
    const other = { functionName: 'other', filePath: '/app/src/other.js', lineNumber: 9, columnNumber: 1 };
    const blocks = [makeBlock({ durationMs: 900 }), makeBlock({ id: 'b2', durationMs: 100, culprit: other })];
    const html = await reportHtml(createRecording({ ...MEASURED, blocks, lagPoints: [] }), PAGE_FILE);
    const { page } = await openPage(suite.browser, await write('sentence.html', html), {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const sentence = page.locator('.sentence p');
    await sentence.getByText('slow (src/slow.js:3) took 90 % of the blocked time: 1 block, 900 ms.').waitFor();
    await page.locator('.culprits tbody tr', { hasText: 'other' }).getByRole('link').click();
    const ofOther = 'other (src/other.js:9) took 10 % of the blocked time: 1 block, 100 ms.';
    await sentence.getByText(ofOther).waitFor();
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(ofOther);
  });

  test('shows that nothing blocked', async () => {
    const recording = createRecording({ ...MEASURED, blocks: [], lagPoints: [] });
    const { page } = await openPage(suite.browser, await write('empty.html', await reportHtml(recording, PAGE_FILE)));
    await page.getByRole('heading', { name: 'Nothing blocked' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('does not say that nothing blocked where nothing was watched', async () => {
    const recording = createRecording({ ...MEASURED, processes: [], blocks: [], lagPoints: [] });
    const { page } = await openPage(
      suite.browser,
      await write('unwatched.html', await reportHtml(recording, PAGE_FILE)),
    );
    await page.getByRole('heading', { name: 'Nothing was watched' }).waitFor();
    await page.locator('.remarks').getByText('Nothing was watched: no Node.js process has reported.').waitFor();
    expect(await page.getByText('Nothing blocked').count()).toBe(0);
  });

  test('shows names with HTML as text', async () => {
    const functionName = '</script><img src=x onerror=alert(1)>';
    const culprit = { functionName, filePath: '/a.js', lineNumber: 1, columnNumber: 1 };
    const recording = createRecording({
      ...MEASURED,
      blocks: [makeBlock({ culprit, startMs: MEASURED.startedMs })],
      lagPoints: [],
    });
    const { page, consoleErrors } = await openPage(
      suite.browser,
      await write('names.html', await reportHtml(recording, PAGE_FILE)),
    );
    await page.locator('.culprits a.name').waitFor();
    expect(await page.locator('.culprits a.name').textContent()).toBe(functionName);
    expect(await page.locator('img').count()).toBe(0);
    expect(consoleErrors).toEqual([]);
  });

  test('shows the stretch by waiting for CPU, marks a guess, and explains both', async () => {
    const recording = createRecording({
      ...MEASURED,
      blocks: [
        makeBlock({
          startMs: MEASURED.startedMs + 1_000,
          durationMs: 3_900,
          stackQuality: 'post_native',
          cause: 'native',
          cpuMs: 1_440,
          gcMs: 2_000,
          runQueueMs: 2_460,
          request: 'POST /a/path/so/long/that/it/leaves/no/room/for/the/place/of/the/function/in/any/window',
          culprit: {
            functionName: 'slow',
            filePath: '/app/packages/service/src/features/reports/monthly/render/slow.js',
            lineNumber: 3,
            columnNumber: 5,
          },
        }),
      ],
      lagPoints: [],
      sources: {
        '/app/packages/service/src/features/reports/monthly/render/slow.js': { '2': 'before', '3': 'hash();' },
      },
    });
    const html = await reportHtml(recording, PAGE_FILE);
    const { page, consoleErrors } = await openPage(suite.browser, await write('words.html', html));
    await page.locator('.blocks tbody tr').waitFor();
    for (const table of ['.culprits', '.blocks']) {
      expect(await page.locator(`${table} tbody .cause`).textContent()).toBe('Native callstretched 2.7×');
      expect(await page.locator(`${table} tbody tr`).textContent()).toContain('≈ slow');
      // What is cut is the directories: the file and its line are in sight.
      const [position, cell] = [
        page.locator(`${table} .place .position`),
        page.locator(`${table} tbody tr :is(th, td):has(.file)`),
      ];
      expect(await page.locator(`${table} .place .file`).textContent()).toBe('slow.js');
      expect(await position.textContent()).toBe(':3');
      const [positionBox, cellBox] = [(await position.boundingBox())!, (await cell.boundingBox())!];
      expect(positionBox.x + positionBox.width).toBeLessThanOrEqual(cellBox.x + cellBox.width);
    }
    expect(await page.getByText(/^≈ a guess: on the stack once or twice, when a native call returned/).count()).toBe(2);
    await takePicture(page, 'report-words');

    await page.locator('.blocks tbody tr').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Waiting for CPU stretched it 2.7×, from 1.44 s to 3.90 s').waitFor();
    expect(await dialog.getByRole('heading', { level: 2 }).textContent()).toBe('≈ slow 3.90 s');
    expect(await dialog.locator('.composition .legend li').allTextContents()).toEqual([
      'Garbage collection 1.44 s, 37 %',
      'Waiting for CPU 2.46 s, 63 %',
    ]);
    // The source is the first thing below the title.
    const source = (await dialog.locator('.snippet').boundingBox())!;
    expect(source.y + source.height).toBeLessThan((await dialog.locator('.facts').boundingBox())!.y);
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePicture(page, 'report-block-words');
    expect(consoleErrors).toEqual([]);
  });

  test.each([1280, 390])('cuts neither the share of a wait for CPU nor a line, in %d px', async (width) => {
    const culprit = {
      functionName: 'aFunctionWithANameThatLeavesNoRoomForThePlace',
      filePath: '/app/src/a-file-with-a-name-of-forty-characters.js',
      lineNumber: 12_345,
      columnNumber: 5,
    };
    const blocks = [
      makeBlock({
        startMs: MEASURED.startedMs + 1_000,
        cause: 'cpu_starved',
        runQueueMs: 200,
        durationMs: 200,
        culprit,
      }),
    ];
    const html = await reportHtml(createRecording({ ...MEASURED, blocks, lagPoints: [] }), PAGE_FILE);
    const { page } = await openPage(suite.browser, await write(`cut-${width}.html`, html), {
      viewport: { width, height: 900 },
    });
    for (const table of ['.culprits', '.blocks']) {
      const wait = page.locator(`${table} td .cpu-wait`);
      expect(await wait.textContent()).toBe('100 % of it waiting for CPU');
      for (const part of [wait, page.locator(`${table} .place .position`)]) {
        const cell = part.locator('xpath=ancestor::*[self::th or self::td]');
        const [partBox, cellBox] = [(await part.boundingBox())!, (await cell.boundingBox())!];
        expect(partBox.x + partBox.width).toBeLessThanOrEqual(cellBox.x + cellBox.width + 0.5);
      }
    }
  });

  test('counts of a block that began before the selected range only the part within it', async () => {
    const durationMs = 20 * 60_000;
    const recording = createRecording({
      ...MEASURED,
      durationMs,
      blocks: [
        makeBlock({ id: 'long', startMs: MEASURED.startedMs + 60_000, durationMs: 15 * 60_000 }),
        makeBlock({
          id: 'pool',
          startMs: MEASURED.startedMs + 60_000,
          durationMs: 18 * 60_000,
          threadId: 1,
          threadName: 'pool',
        }),
      ],
      lagPoints: [],
    });
    const html = await reportHtml(recording, PAGE_FILE);
    const { page } = await openPage(suite.browser, await write('range.html', html));
    const timeBlocked = page.locator('.stats > div', { hasText: 'Time blocked' });
    await timeBlocked.getByText('33 min', { exact: true }).waitFor();
    expect(await timeBlocked.locator('.note').textContent()).toBe('83 % of 20 min in 2 threads');
    expect(await page.locator('.threads td:last-child').allTextContents()).toEqual(['ended', 'ended']);
    // The last quarter of the chart.
    const chart = (await page.locator('.chart .u-over').boundingBox())!;
    await page.mouse.move(chart.x + chart.width * 0.75, chart.y + 30);
    await page.mouse.down();
    await page.mouse.move(chart.x + chart.width - 1, chart.y + 30, { steps: 5 });
    await page.mouse.up();
    await timeBlocked.getByText(/^(49|50|51) % of (4 min \d+ s|5 min( \d s)?) in 2 threads$/).waitFor();
    const longest = page.locator('.stats > div', { hasText: 'Longest block' });
    expect(await longest.locator('.value').textContent()).toMatch(/^(3 min 5\d s|4 min)/);
    expect(await longest.locator('.note').textContent()).toBe('slow, 18 min with its part outside the range');
    const [count, longestOfCulprit, total] = await page.locator('.culprits tbody .number').allTextContents();
    expect([count, longestOfCulprit, total]).toEqual([
      '2',
      await longest.locator('.value').textContent(),
      await timeBlocked.locator('.value').textContent(),
    ]);
  });

  test('with 5,000 blocks is smaller than 4 MiB', async () => {
    const blocks = Array.from({ length: 5_000 }, (_, index) =>
      makeBlock({
        id: `b${index}`,
        startMs: MEASURED.startedMs + index * 10,
        culprit: { functionName: `f${index % 40}`, filePath: `/app/${index % 40}.js`, lineNumber: 1, columnNumber: 1 },
        profile: `main;handle;f${index % 40} ${100 + (index % 17)}\nmain;handle 12`,
        stackTrace: `    at f${index % 40} (/app/${index % 40}.js:1:1)\n    at handle (/app/h.js:9:9)`,
      }),
    );
    const lagPoints = Array.from({ length: 60 }, (_, index) =>
      makeLag({ startMs: MEASURED.startedMs + index * 1_000, endMs: MEASURED.startedMs + (index + 1) * 1_000 }),
    );
    const html = await reportHtml(createRecording({ ...MEASURED, blocks, lagPoints }), PAGE_FILE);
    expect(html.length).toBeLessThan(4 * 1024 * 1024);
    const { page, consoleErrors } = await openPage(suite.browser, await write('large.html', html));
    await page.locator('.flame .frame').nth(20).waitFor();
    expect(await page.locator('#blocks .count').textContent()).toBe('5000');
    await page.getByRole('button', { name: 'Show all 40 culprits' }).click();
    expect(await page.locator('.culprits tbody tr').count()).toBe(40);
    expect(consoleErrors).toEqual([]);
  });
});
