import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { type TestApp, startTestApp } from './support/test-app.js';

let testApp: TestApp;

beforeAll(async () => {
  testApp = await startTestApp({ logs: 20, schedules: 5, runsPerTask: 3 });
});

afterAll(async () => {
  await testApp.close();
});

const validLog = {
  spanId: '00000000000000aa',
  parentSpanId: null,
  level: 'info',
  message: 'hello',
  startedAt: 1_762_000_000_000,
  durationMs: 3,
};

describe('an invalid request is answered with 400 and the name of the field', () => {
  test.each([
    { method: 'GET', url: '/runs/first', field: 'runId' },
    { method: 'GET', url: '/runs/1/trace?logs=0', field: 'logs' },
    { method: 'GET', url: '/runs/1/trace?fixed=yes', field: 'fixed' },
    { method: 'GET', url: '/projects/billing/schedules?from=yesterday', field: 'from' },
    { method: 'GET', url: '/projects/billing/schedules?rows=many', field: 'rows' },
    { method: 'POST', url: '/tasks/1/runs', body: { payload: 'text' }, field: 'payload' },
    { method: 'POST', url: '/runs/1/logs', body: { logs: [] }, field: 'logs' },
    { method: 'POST', url: '/runs/1/logs', body: { logs: [{ ...validLog, spanId: 'x' }] }, field: 'logs.0.spanId' },
    { method: 'POST', url: '/tasks', body: { project: 'billing', steps: [{}] }, field: 'name' },
    { method: 'POST', url: '/tasks?fixed=1', body: { project: 'billing', steps: [{}] }, field: 'name' },
    { method: 'POST', url: '/tasks?fixed=1', body: { project: 'billing', name: 'x', steps: [1] }, field: 'steps.0' },
    { method: 'POST', url: '/logins', body: { user: 'demo' }, field: 'password' },
  ] as const)('$method $url', async ({ method, url, field, ...rest }) => {
    const response = await testApp.app.inject({ method, url, ...('body' in rest && { payload: rest.body }) });
    expect(response.statusCode).toBe(400);
    const { code, issues } = response.json<{ code: string; issues: { path: (string | number)[] }[] }>();
    expect(code).toBe('INVALID_REQUEST');
    expect(issues.map((issue) => issue.path.join('.'))).toContain(field);
  });

  test.each(['/tasks', '/tasks?fixed=1'])('POST %s with a body that is not JSON', async (url) => {
    const headers = { 'content-type': 'application/json' };
    const response = await testApp.app.inject({ method: 'POST', url, payload: '{"name":', headers });
    expect(response.statusCode).toBe(400);
  });
});

describe('a request for something unknown is answered with 404', () => {
  test.each([
    { method: 'GET', url: '/runs/999999' },
    { method: 'GET', url: '/runs/2/trace' },
    { method: 'GET', url: '/runs/2/trace?fixed=1' },
    { method: 'GET', url: '/projects/none/tasks' },
    { method: 'GET', url: '/projects/none/schedules' },
    { method: 'POST', url: '/tasks/999/runs' },
    { method: 'POST', url: '/runs/999999/logs', body: { logs: [validLog] } },
  ] as const)('$method $url', async ({ method, url, ...rest }) => {
    const response = await testApp.app.inject({ method, url, ...('body' in rest && { payload: rest.body }) });
    expect(response.statusCode).toBe(404);
    expect(response.json()).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('written data can be read', () => {
  test('a triggered run is queued', async () => {
    const created = await testApp.app.inject({ method: 'POST', url: '/tasks/3/runs', payload: { payload: { a: 1 } } });
    expect(created.statusCode).toBe(201);
    const { id } = created.json<{ id: number }>();
    const read = await testApp.app.inject({ method: 'GET', url: `/runs/${id}` });
    expect(read.json()).toMatchObject({ id, taskId: 3, status: 'queued', durationMs: null });
  });

  test('appended logs are in the next view of the trace', async () => {
    const before = await testApp.app.inject({ method: 'GET', url: '/runs/1/trace' });
    const appended = await testApp.app.inject({ method: 'POST', url: '/runs/1/logs', payload: { logs: [validLog] } });
    expect(appended.statusCode).toBe(201);
    const after = await testApp.app.inject({ method: 'GET', url: '/runs/1/trace' });
    const spanCount = before.json<{ spanCount: number }>().spanCount + 1;
    expect(after.json()).toMatchObject({ spanCount });
  });

  test('a created task is in its project', async () => {
    const step = {
      id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
      name: 'wait',
      dependsOn: [],
      retry: { maxAttempts: 1, backoff: 'none', minDelayMs: 0 },
      labels: {},
      kind: 'wait',
      until: '2026-12-01T00:00:00Z',
    };
    const payload = { project: 'warehouse', name: 'brand-new', steps: [step] };
    const created = await testApp.app.inject({ method: 'POST', url: '/tasks', payload });
    expect(created.statusCode).toBe(201);
    const listed = await testApp.app.inject({ method: 'GET', url: '/projects/warehouse/tasks' });
    const { tasks } = listed.json<{ tasks: { name: string }[] }>();
    expect(tasks.map((task) => task.name)).toContain('brand-new');
  });
});

describe('the route that can block the process for minutes', () => {
  const url = '/tags/check?tag=release-1';

  test('does not exist by default', async () => {
    expect((await testApp.app.inject({ method: 'GET', url })).statusCode).toBe(404);
  });

  test.each(['', '&fixed=1'])('answers when it is enabled (query suffix %j)', async (fixed) => {
    const appWithHangRoute = await startTestApp({ logs: 1, schedules: 0, runsPerTask: 1 }, true);
    const response = await appWithHangRoute.app.inject({ method: 'GET', url: url + fixed });
    await appWithHangRoute.close();
    expect(response.json()).toEqual({ tag: 'release-1', valid: true });
  });
});

test('the second release also counts the active schedules of a project', async () => {
  const second = await startTestApp({ logs: 20, schedules: 5, runsPerTask: 3 }, false, 2);
  const url = '/projects/billing/tasks';
  const before = (await testApp.app.inject({ method: 'GET', url })).json<Record<string, unknown>>();
  const after = (await second.app.inject({ method: 'GET', url })).json<Record<string, unknown>>();
  const schedules = (await second.app.inject({ method: 'GET', url: '/projects/billing/schedules' })).json<{
    schedules: { active: boolean }[];
  }>();
  await second.close();
  expect(Object.keys(before)).toEqual(['tasks']);
  expect(after['activeSchedules']).toBe(schedules.schedules.filter(({ active }) => active).length);
});
