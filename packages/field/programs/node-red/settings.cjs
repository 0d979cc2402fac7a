module.exports = {
  uiPort: process.env.PORT,
  uiHost: '127.0.0.1',
  userDir: `${__dirname}/user`,
  flowFile: `${__dirname}/flows.json`,
  logging: { console: { level: 'warn', metrics: false, audit: false } },
  telemetry: { enabled: false, updateNotification: false },
  editorTheme: { tours: false, projects: { enabled: false } },
  functionExternalModules: false,
};
