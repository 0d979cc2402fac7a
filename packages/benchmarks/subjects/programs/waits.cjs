setTimeout(() => undefined, 1000);
