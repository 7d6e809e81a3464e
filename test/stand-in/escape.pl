#!/usr/bin/perl
# Tries to get out of its lane, one way after the other, and says on stderr which ways led out. Nothing
# that it opens for writing is written to. Arguments: FILE PID PORT ABSTRACT SHM-KEY ADDRESSES
# HARMLESS: with this one, outside of a lane, only the ways that do no harm there. In a lane it answers
# /health first, so that the lane says how it ended.
use strict;
use warnings;
use Fcntl;
use Socket;
my ($file, $pid, $port, $abstract, $shm, $addresses, $harmless) = @ARGV;
my (@out, $held);

my %harmless = map { $_ => 1 } ('file', 'shared memory file', 'signal', '/proc of a process',
    'network 127.0.0.1', 'abstract socket', 'System V memory');

sub way {
    my ($name, $leads) = @_;
    return if $harmless && !$harmless{$name};
    if (eval { $leads->() }) { push @out, $name } else { $held++ }
}
sub writable {
    my ($path) = @_;
    sysopen(my $f, $path, O_WRONLY | O_NONBLOCK) or return 0;
    close $f;
    return 1;
}
sub quietly { return system("($_[0]) >/dev/null 2>&1 </dev/null") == 0 }

# The host's files
way('file', sub { writable($file) });
# Before anything is made there: but for the folders of the program and of its start it is empty
way('what lies in /tmp', sub {
    my $start = readlink '/proc/self/cwd';
    my %own = map { m{^/tmp/([^/]+)} ? ($1 => 1) : () } ($0, $start);
    opendir(my $tmp, '/tmp') or return 0;
    return scalar grep { !/^\.\.?$/ && !$own{$_} } readdir $tmp;
});
way('shared memory file', sub { -e "/dev/shm/$abstract" });
way('a mount that can be written to', sub {
    open(my $mounts, '<', '/proc/self/mounts') or return 1;
    for (grep { !m{^\S+ /(tmp|run|proc|dev)[/ ]} } <$mounts>) {
        my $at = (split / /)[1];
        $at =~ s/\\(\d{3})/chr oct $1/ge;
        if (mkdir "$at/escape-$$") { rmdir "$at/escape-$$"; return 1 }
    }
    return 0;
});
for my $at ('/', '/proc', '/sys', '/dev', '/tmp', '/run') {
    way("umount $at", sub { quietly("umount $at || umount -l $at") });
    next if $at =~ m{^/(tmp|run|dev)$};
    way("remount $at", sub { quietly("mount -o remount,bind,rw $at || mount -o remount,rw $at") });
}
way('the files below, by a bind', sub { quietly("mkdir -p /tmp/b && mount --bind / /tmp/b && test -e '/tmp/b$file'") && writable("/tmp/b$file") });
way('mknod', sub { quietly('mknod /tmp/node b 8 0') });
way('devices', sub {
    my %own = map { $_ => 1 } qw(. .. null zero full random urandom tty ptmx pts shm fd stdin stdout stderr);
    opendir(my $dev, '/dev') or return 1;
    return scalar grep { !$own{$_} } readdir $dev;
});
# From 10 on there is only what whoever started envd-bench left open for all its children.
for my $fd (3 .. 9) {
    my $leads = readlink "/proc/self/fd/$fd";
    next if !defined $leads || $leads =~ m{/escape\.pl$};
    way("its parent's file $fd, $leads", sub { 1 });
}
# A setuid program runs as root of this namespace at most
way('sudo', sub { quietly("sudo -n sh -c ': >> \"$file\"'") });

# The kernel's switches
for my $switch (qw(/proc/sysrq-trigger /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe
    /proc/sys/kernel/hostname /proc/sys/vm/drop_caches /proc/sys/vm/swappiness
    /proc/sys/net/ipv4/ip_forward /proc/irq/default_smp_affinity /sys/kernel/mm/ksm/run
    /sys/kernel/uevent_helper /sys/power/state /sys/fs/cgroup/cgroup.procs /dev/kmsg /dev/mem)) {
    way($switch, sub { writable($switch) });
}
way('a fresh /proc', sub { quietly('mkdir -p /tmp/p && unshare --user --map-root-user --pid --fork --mount sh -c "mount -t proc proc /tmp/p && : >> /tmp/p/sys/kernel/hostname"') });
way('a fresh /sys', sub { quietly('mkdir -p /tmp/s && unshare --user --map-root-user --net --mount sh -c "mount -t sysfs sysfs /tmp/s && : >> /tmp/s/kernel/mm/ksm/run"') });
for my $kind ('cgroup2 none', 'cgroup -o pids none', 'cgroup -o freezer none') {
    way("fresh cgroups ($kind)", sub { quietly("mkdir -p /tmp/c && unshare --cgroup --mount mount -t $kind /tmp/c") || quietly("mount -t $kind /tmp/c") });
}

# Processes
way('signal', sub { kill 0, $pid });
way('/proc of a process', sub { -e "/proc/$pid/root/etc" });
for my $what (qw(root cwd ns/mnt ns/net ns/user ns/pid exe)) {
    way("/proc/1/$what", sub { defined readlink "/proc/1/$what" });
}
way('/proc/1/mem', sub { sysopen(my $f, '/proc/1/mem', O_RDONLY) });
way('setns', sub { quietly('nsenter --target 1 --mount true') || quietly('nsenter --target 1 --net true') || quietly('nsenter --target 1 --user true') });
way('its parent, stopped', sub {
    kill 'STOP', 1;
    kill 'KILL', 1;
    open(my $stat, '<', '/proc/1/stat') or return 1;
    return <$stat> =~ /\) [Tt] /;
});
# ptrace, settimeofday, adjtimex, init_module by number: x86-64, or the numbers of all newer ones
my ($ptrace, $settimeofday, $adjtimex, $init_module) =
    `uname -m` =~ /x86_64/ ? (101, 164, 159, 175) : (117, 170, 171, 105);
way('ptrace', sub { syscall($ptrace, 16, 1, 0, 0) == 0 });
way('a module', sub { syscall($init_module, 0, 0, 0) == 0 || !($!{EPERM} || $!{ENOSYS}) });

# The clock
way('settimeofday', sub { my $now = pack 'qq', time, 0; syscall($settimeofday, $now, 0) == 0 });
way('adjtimex', sub { my $timex = pack 'Ix4q25', 0x4000; syscall($adjtimex, $timex) >= 0 });

# The network
sub connects {
    my ($family, $type, $to) = @_;
    socket(my $s, $family, $type, 0) or return 0;
    local $SIG{ALRM} = sub { die };
    alarm 1;
    my $is = connect $s, $to;
    alarm 0;
    return $is;
}
for my $address ('127.0.0.1', split /,/, $addresses) {
    way("network $address", sub { connects(PF_INET, SOCK_STREAM, pack_sockaddr_in($port, inet_aton($address))) });
}
way('abstract socket', sub { connects(PF_UNIX, SOCK_STREAM, pack('S', AF_UNIX) . "\0$abstract") });
way('raw socket', sub { socket(my $s, PF_INET, SOCK_RAW, 1) });
way('packet socket', sub { socket(my $s, 17, SOCK_RAW, 0x0300) });
way('its interface', sub { quietly('ip link set eth0 down') || quietly('ip addr add 10.1.2.3/8 dev eth0') });
way('System V memory', sub { defined shmget($shm, 1, 0) });

sub answer {
    socket(my $server, PF_INET, SOCK_STREAM, 0) or die;
    setsockopt($server, SOL_SOCKET, SO_REUSEADDR, 1)
        && bind($server, pack_sockaddr_in(49983, INADDR_ANY)) && listen($server, 16) or die "listen: $!";
    # The readiness probe, and /init once: then it says what it found.
    while (accept(my $client, $server)) {
        sysread $client, my $request, 4096;
        syswrite $client, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
        close $client;
        return if $request =~ /^POST/;
    }
}
answer() unless $harmless;
print STDERR @out ? 'ESCAPED ' . join(', ', @out) : "held $held ways\n";
exit 9;
