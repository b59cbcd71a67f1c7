package kafka

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// member joins and notes what it owns.
type member struct {
	mu    sync.Mutex // guards owned and lives
	owned []int      // nil between generations
	lives int
	stop  func() error
}

func (m *member) owns() []int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.owned
}

func (m *member) generations() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lives
}

func (m *member) set(owned []int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.owned = owned
	if owned != nil {
		m.lives++
	}
}

func grouped(c *Config) { c.Group = "readers" }

// join runs a member whose generations commit an offset for what they own when
// they end.
func join(t *testing.T, c *Client, offset int64) *member {
	t.Helper()
	m := &member{}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- c.Join(ctx, func(ctx context.Context, g Generation) error {
			m.set(append([]int{}, g.Partitions()...))
			<-ctx.Done()
			m.set(nil)
			next := map[int]int64{}
			for _, partition := range g.Partitions() {
				next[partition] = offset
			}
			if err := g.Commit(context.WithoutCancel(ctx), next); err != nil {
				t.Logf("commit at the end of generation %d: %v", g.ID, err)
			}
			return ctx.Err()
		})
	}()
	m.stop = sync.OnceValue(func() error { cancel(); return <-done })
	t.Cleanup(func() {
		if err := m.stop(); err != nil {
			t.Errorf("join returned %v", err)
		}
	})
	return m
}

func owning(t *testing.T, what string, want int, members ...*member) {
	t.Helper()
	eventually(t, what, func() bool {
		var all []int
		for _, m := range members {
			owned := m.owns()
			if owned == nil {
				return false
			}
			all = append(all, owned...)
		}
		slices.Sort(all)
		return len(all) == want && len(slices.Compact(all)) == want
	})
}

func TestGroup(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(4, topic))
	one := join(t, client(t, broker, grouped), 11)
	eventually(t, "one owns all", func() bool { return slices.Equal(one.owns(), []int{0, 1, 2, 3}) })

	two := join(t, client(t, broker, grouped), 22)
	eventually(t, "they share", func() bool { return len(one.owns()) == 2 && len(two.owns()) == 2 })
	owning(t, "they own different ones", 4, one, two)
	commits := broker.GroupInfo("readers").Commits[topic]
	if len(commits) != 4 || commits[3].Offset != 11 {
		t.Errorf("committed %v at hand-over", commits)
	}

	if err := two.stop(); err != nil {
		t.Errorf("second member: %v", err)
	}
	eventually(t, "one owns all again", func() bool { return slices.Equal(one.owns(), []int{0, 1, 2, 3}) })
	if err := one.stop(); err != nil {
		t.Errorf("first member: %v", err)
	}
	eventually(t, "the group is empty", func() bool { return len(broker.GroupInfo("readers").Members) == 0 })
}

func TestGroupSpareMember(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(1, topic))
	members := []*member{join(t, client(t, broker, grouped), 1), join(t, client(t, broker, grouped), 1)}
	owning(t, "one of two owns the only partition", 1, members...)
	time.Sleep(300 * time.Millisecond)
	for _, m := range members {
		if lives := m.generations(); lives > 4 {
			t.Errorf("a member went through %d generations", lives)
		}
	}
	owner := slices.IndexFunc(members, func(m *member) bool { return len(m.owns()) == 1 })
	if err := members[owner].stop(); err != nil {
		t.Error(err)
	}
	owning(t, "the spare takes over", 1, members[1-owner])
}

func TestGroupTopicGrows(t *testing.T) {
	broker := cluster(t)
	m := join(t, client(t, broker, grouped), 1)
	time.Sleep(50 * time.Millisecond)
	if err := broker.CreateTopic(topic, 1, nil); err != nil {
		t.Fatal(err)
	}
	owning(t, "the late topic is owned", 1, m)
	grow(t, broker, 3)
	owning(t, "the new partitions are owned", 3, m)
}

func TestGroupCoordinatorMoves(t *testing.T) {
	broker := cluster(t, kfake.NumBrokers(3), kfake.SeedTopics(2, topic))
	var told changes
	m := join(t, client(t, broker, grouped, func(c *Config) { c.Changed = told.add }), 1)
	owning(t, "all is owned", 2, m)
	if err := broker.RemoveNode(broker.CoordinatorFor("readers")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a new generation", func() bool { return m.generations() > 1 && len(m.owns()) == 2 })
}

func TestJoinReturnsErrorOfRun(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(1, topic))
	broken := errors.New("disk full")
	err := client(t, broker, grouped).Join(t.Context(), func(context.Context, Generation) error { return broken })
	if !errors.Is(err, broken) {
		t.Errorf("join returned %v", err)
	}
	eventually(t, "the group is left", func() bool { return len(broker.GroupInfo("readers").Members) == 0 })
}

func TestJoinStatic(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(3, topic))
	c := client(t, broker, func(c *Config) { c.Partitions = []int{2, 0} })
	ctx, cancel := context.WithCancel(t.Context())
	var owned []int
	err := c.Join(ctx, func(ctx context.Context, g Generation) error {
		owned = g.Partitions()
		if err := g.Commit(ctx, map[int]int64{0: 1}); err != nil {
			t.Errorf("commit without a group: %v", err)
		}
		cancel()
		<-ctx.Done()
		return ctx.Err()
	})
	if err != nil {
		t.Errorf("join returned %v", err)
	}
	if diff := cmp.Diff([]int{0, 2}, owned); diff != "" {
		t.Error(diff)
	}
}

func TestJoinUnreachable(t *testing.T) {
	c := unreachable(t, grouped)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	err := c.Join(ctx, func(context.Context, Generation) error { return errors.New("ran") })
	if err != nil {
		t.Errorf("join returned %v", err)
	}
}

func TestJoinNothing(t *testing.T) {
	c := client(t, cluster(t))
	if err := c.Join(t.Context(), func(context.Context, Generation) error { return nil }); err == nil {
		t.Error("joined without group and partitions")
	}
}

// grow adds partitions to the topic.
func grow(t *testing.T, broker *kfake.Cluster, count int32) {
	t.Helper()
	request := kmsg.NewPtrCreatePartitionsRequest()
	about := kmsg.NewCreatePartitionsRequestTopic()
	about.Topic, about.Count = topic, count
	request.Topics = append(request.Topics, about)
	answer, err := request.RequestWith(t.Context(), franz(t, broker))
	if err != nil || answer.Topics[0].ErrorCode != 0 {
		t.Fatalf("grow to %d partitions: %v, %+v", count, err, answer)
	}
}
