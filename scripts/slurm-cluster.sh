#!/usr/bin/env bash
# Makes a real Slurm on this one machine, for tests: a controller and several node daemons, each with a few CPUs of its own,
# which the machine need not have.
#
# All of it (settings, state, logs, spool, key and socket of munge) lives in FOLDER, and it listens on free ports of the
# loopback device alone, so that a Slurm that the machine may have is not touched. It needs neither systemd nor writable
# cgroups. Only the programs come from the system's packages, which are installed if they are missing.
#
# Partition `work` is the default. A job in `urgent` preempts jobs in `work`: these get five seconds of grace and are queued
# again. Slurm looks for time that is over (grace, time limits) only every thirty seconds.
#
# Usage: slurm-cluster.sh start [--nodes N] [--cpus N] [--set KEY=VALUE]... FOLDER
#        slurm-cluster.sh stop FOLDER
# `start` prints `export SLURM_CONF=…` for the caller to evaluate. A cluster that runs already is left as it is; otherwise it
# starts with an empty queue. --cpus is per node, and --set changes a line of slurm.conf or adds one.
# `stop` ends the daemons of FOLDER and every process of its jobs; the logs stay.
# Needs root. Ends with 77 where there can be no Slurm, and with 1 and the last lines of the logs if it does not come up.
set -euo pipefail

say() { printf 'slurm: %s\n' "$*" >&2; }
cannot() {
    say "cannot run here: $*"
    exit 77
}
usage() {
    sed -n 's/^# //; /^Usage:/,/^Needs/p' "$0" >&2
    exit 2
}

action=${1:-}
nodes=2
cpus=4
settings=()
folder=''
[ $# = 0 ] || shift
while [ $# -gt 0 ]; do
    [[ $1 != -* || $# -gt 1 ]] || usage
    case $1 in
    --nodes) nodes=${2-} ;;
    --cpus) cpus=${2-} ;;
    --set) settings+=("${2-}") ;;
    *) [[ -z $folder && $1 != -* ]] || usage && folder=$1 ;;
    esac
    [[ $1 != -* ]] || shift
    shift
done
case $action in start | stop) ;; *) usage ;; esac
[[ -n $folder && $nodes =~ ^[1-9][0-9]?$ && $cpus =~ ^[1-9][0-9]*$ ]] || usage
folder=$(realpath -m "$folder")
log=$folder/log
# The daemons' sockets are files in the folder, whose names the system limits to 107 characters.
[ ${#folder} -le 70 ] || { say "the path of $folder is too long: 70 characters at most" && exit 2; }
# slurm.conf knows no quotes.
[[ $folder != *[[:space:]\#,\"\'\\%]* ]] || { say "slurm.conf cannot name a folder like '$folder'" && exit 2; }
[ "$(id -u)" = 0 ] || cannot "Slurm's daemons are started by root"

# The marker of all that belongs to this cluster; it takes the place of another one's.
export SLURM_CONF=$folder/slurm.conf
# The daemons are where the PATH of a user may not lead.
export PATH=$PATH:/usr/sbin:/sbin

# ---- processes ----

# The processes of this cluster: its daemons, and what its jobs run. Pid files say less: a start that failed halfway leaves
# none, and a node's daemon for one job (slurmstepd) has none.
members() {
    local process pid name
    for process in /proc/[0-9]*; do
        pid=${process#/proc/}
        grep -qzxF -e "SLURM_CONF=$SLURM_CONF" "$process/environ" 2>/dev/null || continue
        read -r name 2>/dev/null <"$process/comm" || continue
        case $name in
        munged | slurmctld | slurmscriptd | slurmd | slurmstepd) echo "$pid" ;;
        # The caller has the same SLURM_CONF, but only a job's process has the name of a node.
        *) if grep -qz '^SLURMD_NODENAME=node' "$process/environ" 2>/dev/null; then echo "$pid"; fi ;;
        esac
    done
}

# The processes $@ and all below them: a job may have changed the environment of its processes. (One that has also left its
# parent is not found; Slurm without cgroups does not find it either.)
with_descendants() {
    local pid children
    for pid in "$@"; do
        echo "$pid"
        children=$(cat "/proc/$pid/task/"*/children 2>/dev/null) || true
        # shellcheck disable=SC2086 # a list of numbers
        [ -z "${children// /}" ] || with_descendants $children
    done
}

# Processes above this script are never ended, even if a test of this cluster runs as one of its jobs.
above() {
    local pid=$$ line
    while [ "$pid" -gt 1 ]; do
        echo "$pid"
        line=$(cat "/proc/$pid/stat" 2>/dev/null) || return 0
        line=${line##*) }
        pid=$(cut -d' ' -f2 <<<"$line")
    done
}

end_all() {
    local round found=() kept
    kept=$(above)
    # Again until none is left: one of them may just have started another.
    for round in {1..40}; do
        mapfile -t found < <(members)
        [ ${#found[@]} -gt 0 ] || return 0
        mapfile -t found < <(with_descendants "${found[@]}" | sort -un | grep -vxF "$kept")
        [ ${#found[@]} -gt 0 ] || return 0
        # Nothing is to be saved, and a daemon that ends in good order first waits for its jobs.
        kill -KILL "${found[@]}" 2>/dev/null || true
        sleep 0.1
    done
    say "still running after $round attempts to end them: ${found[*]}"
    return 1
}

# ---- the programs ----

missing_programs() {
    local program
    for program in slurmctld slurmd sbatch scontrol munged mungekey; do
        command -v "$program" >/dev/null || printf '%s ' "$program"
    done
}

install_programs() {
    local lacking policy=/usr/sbin/policy-rc.d get=(apt-get -o DPkg::Lock::Timeout=300)
    lacking=$(missing_programs)
    [ -n "$lacking" ] || return 0
    command -v apt-get >/dev/null || cannot "missing ${lacking% }, and there is no apt-get to install slurm-wlm and munge with"
    say "installing slurm-wlm and munge with apt-get (log: $log/install.log)"
    # The packages would start services with settings of their own; this file, if there is none, tells them not to.
    if [ ! -e "$policy" ]; then
        printf '#!/bin/sh\nexit 101\n' >"$policy"
        chmod +x "$policy"
        # shellcheck disable=SC2064 # the name as it is now
        trap "rm -f $policy" EXIT
    fi
    # The lists may be old or absent on a fresh machine.
    "${get[@]}" update -qq >>"$log/install.log" 2>&1 || say "apt-get update failed; trying all the same"
    DEBIAN_FRONTEND=noninteractive "${get[@]}" install -y -qq --no-install-recommends slurm-wlm munge \
        >>"$log/install.log" 2>&1 ||
        cannot "apt-get could not install slurm-wlm and munge: $(grep -E '^E:' "$log/install.log" | tail -n 1)"
    hash -r
    lacking=$(missing_programs)
    [ -z "$lacking" ] || cannot "the packages slurm-wlm and munge have no ${lacking% }"
}

# ---- settings ----

# The first of as many ports in a row as the cluster needs that nobody listens on. They lie below those that the system gives
# to connections.
free_ports() {
    local base port try
    for try in {1..50}; do
        base=$((20000 + RANDOM % 12000))
        for ((port = base; port <= base + nodes; port++)); do
            if (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then continue 2; fi
        done
        echo "$base"
        return
    done
    cannot "no row of $((nodes + 1)) free ports found in $try attempts"
}

write_settings() {
    local port host memory node setting
    port=$(free_ports)
    host=$(uname -n)
    host=${host%%.*}
    memory=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 1024 / nodes))
    {
        cat <<END
ClusterName=idpas-test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
# A job that is queued again waits until what allowed its first run has expired, two minutes by default.
AuthInfo=socket=$folder/munge/socket,cred_expire=5
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/run/slurmctld.pid
SlurmdPidFile=$folder/run/slurmd-%n.pid
TmpFS=$folder/tmp/%n
SlurmctldLogFile=$log/slurmctld.log
SlurmdLogFile=$log/slurmd-%n.log
MailProg=/bin/true

# Nodes may have more CPUs than the machine, so that tasks cannot be bound to them (task/affinity). Processes are tracked by
# their group: with proctrack/linuxproc what a batch script has started would outlive it.
SlurmdParameters=config_overrides
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=64
ReturnToService=2
MpiDefault=none
TaskProlog=$folder/task-prolog

# Tests wait for what other clusters take their time for.
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,sched_min_interval=100000,batch_sched_delay=0,bf_interval=1,bf_resolution=1
KillWait=5
MinJobAge=300
MaxArraySize=1001

JobRequeue=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PriorityType=priority/basic
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none

END
        for ((node = 1; node <= nodes; node++)); do
            echo "NodeName=node$node NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + node)) CPUs=$cpus RealMemory=$memory"
        done
        echo "PartitionName=work Nodes=ALL Default=YES PriorityTier=1 GraceTime=5 DefaultTime=60 MaxTime=INFINITE"
        echo "PartitionName=urgent Nodes=ALL PriorityTier=10 PreemptMode=OFF DefaultTime=60 MaxTime=INFINITE"
    } >"$SLURM_CONF"
    # Open MPI names its shared memory after the host, which the nodes have in common: each needs a folder of its own for it.
    # shellcheck disable=SC2016 # what a node says of itself
    printf '#!/bin/sh\necho "export OMPI_MCA_btl_vader_backing_directory=%s/tmp/$SLURMD_NODENAME"\n' "$folder" \
        >"$folder/task-prolog"
    chmod 755 "$folder/task-prolog"
    # Of two lines with one key Slurm takes the last and complains each time.
    for setting in "${settings[@]}"; do
        [[ $setting =~ ^[A-Za-z]+=. ]] || { say "not a setting of slurm.conf: '$setting'" && exit 2; }
        sed -i "/^${setting%%=*}=/Id" "$SLURM_CONF"
        printf '%s\n' "$setting" >>"$SLURM_CONF"
    done
}

# ---- start ----

# The states of the nodes, one a line; nothing if the controller does not answer.
node_states() { timeout 5 sinfo -h -N -p work -o %T 2>/dev/null || true; }

all_ready() {
    local states
    states=$(node_states)
    [ -n "$states" ] && ! grep -qvxE 'idle|mixed|allocated|completing' <<<"$states"
}

failed() {
    local file
    say "$1"
    for file in "$log"/{munged,slurmctld,slurmd-*}.log "$log"/output.log; do
        [ -s "$file" ] || continue
        say "the last lines of $file:"
        tail -n 8 "$file" >&2
    done
    end_all
    exit 1
}

start() {
    local node
    install_programs
    if [ -n "$(members)" ]; then
        if [ -e "$SLURM_CONF" ] && all_ready; then
            say "already running in $folder"
            return
        fi
        say "ending what an earlier start has left in $folder"
        end_all
    fi
    rm -rf "$folder"/{state,spool,tmp,run,munge} "$log"/{munged,slurmctld,slurmd-*,output}.log
    mkdir -p "$folder"/{state,spool,tmp,run,munge}
    # munge wants a key that nobody else can read, below folders that nobody else can change; --force makes the latter a
    # warning, since a folder for tests may be anywhere.
    (umask 077 && mungekey --create --keyfile="$folder/munge/key")
    write_settings

    # The daemons go to the background by themselves: those that a shell puts there ignore SIGINT and SIGQUIT, and so would
    # jobs. They must not keep the lock.
    munged --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" --seed-file="$folder/munge/seed" \
        --pid-file="$folder/run/munged.pid" --log-file="$log/munged.log" 9>&- >>"$log/output.log" 2>&1 ||
        failed "munged does not start"
    slurmctld -c 9>&- >>"$log/output.log" 2>&1 || failed "slurmctld does not start"
    for ((node = 1; node <= nodes; node++)); do
        mkdir "$folder/spool/node$node"
        mkdir -m 1777 "$folder/tmp/node$node"
        slurmd -N "node$node" 9>&- >>"$log/output.log" 2>&1 || failed "slurmd of node$node does not start"
    done
    SECONDS=0
    until all_ready; do
        [ $SECONDS -lt 30 ] || failed "after 30 s the states of the nodes are: $(node_states | tr '\n' ' ')"
        sleep 0.2
    done
    say "running in $folder: $nodes nodes of $cpus CPUs, partitions work and urgent"
}

# Starts and stops of one folder wait for each other. A folder that is gone may still have daemons.
if [ "$action" = start ]; then
    mkdir -p "$log" || cannot "$folder cannot be made"
    exec 9>"$folder/lock"
    flock 9
    start
    printf 'export SLURM_CONF=%q\n' "$SLURM_CONF"
else
    if [ -d "$folder" ]; then
        exec 9>"$folder/lock"
        flock 9
    fi
    end_all
fi
