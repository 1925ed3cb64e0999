/** Does nothing, so that its event loop shows when the machine stops a process. */
setInterval(() => {}, 60_000);
process.stdout.write('ready\n');
